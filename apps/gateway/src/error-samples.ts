import { readIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import { MAX_BODY_BYTES, maxBodyBytesOf } from '@connectivity/contracts/partner-api'
import { checklistCodes } from '@connectivity/contracts/production'
import { readPageLimit } from '@connectivity/contracts/query-parameters'
import { defaultLimits } from '@connectivity/contracts/rate-limits'
import { inProgress, keyReused } from '@connectivity/mutations'
import { checkJsonMediaType, toServiceError } from '@connectivity/service-kit/http'
import { notAssigned, servingConnection } from './admission/assignment/assignment.js'
import { readCredentialHeaders } from './admission/authentication/credential-headers.js'
import { SignatureMismatch } from './admission/authentication/signature-mismatch.js'
import { tooManyRequests } from './admission/limits/request-limits.service.js'
import { invalidClient } from './admission/oauth/client-credentials.js'
import { refuseCrossSite } from './admission/oauth/cross-site.js'
import { grantedScopes } from './admission/oauth/granted-scopes.js'
import { readTokenParameters } from './admission/oauth/token-request.js'
import { checkGrantType } from './admission/oauth/token.routes.js'
import { checkScope } from './admission/scope.js'
import { timedOut, serviceUnavailable } from './forwarding/exchange/exchange.js'
import { parserRefusal } from './http/listeners/malformed-request.js'
import { checkAnnouncedSize } from './http/requests/body-refusals.js'
import { headersTooLarge, lineTooLong } from './http/requests/request-line.js'
import { checklistOf, openBefore } from './registry/production/checklist.js'
import {
  alreadyInProduction,
  alreadyOpen,
  checklistIncomplete,
} from './registry/production/request-production.service.js'

const connection = { connectionId: 'con_1', applicationId: 'app_1', externalPropertyId: 'PMS-100' }
const writing = { method: 'PUT', path: '/properties/{id}/mappings', scope: 'mappings:write' } as const
const observation = { observedAt: new Date(0), correlationId: '' }
const uncancelled = new Map(
  checklistCodes.filter((code) => code !== 'cancellation_seen').map((code) => [code, observation] as const),
)
const tooLong = (maxBytes: number) =>
  checkAnnouncedSize({ headers: { 'content-length': String(maxBytes + 1) } }, maxBytes)

/**
 * Refusals of this service, for the OpenAPI document; each function returns or throws one. Only the documentation
 * generator imports this file.
 */
export const errorSamples: readonly (() => unknown)[] = [
  () => readPageLimit('limit=1000'),
  () => readIdempotencyKey([]),
  () => readIdempotencyKey(['two words']),
  () => inProgress(),
  () => keyReused(),
  () => new SignatureMismatch(null, '', '', 'query_was_signed'),
  () => readCredentialHeaders(['Authorization', 'bearer']),
  () => invalidClient(),
  () => refuseCrossSite({ 'sec-fetch-site': 'cross-site' }),
  () => checkGrantType({ grant_type: 'password', root: '' }),
  () => grantedScopes('mappings:write', ['reservations:read']),
  () => checkScope(writing, { person: null, scopes: ['reservations:read'] }),
  () => notAssigned(),
  () => servingConnection({ ...connection, state: 'disabled' }, { property: 'query' }),
  () => parserRefusal(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })),
  () => tooLong(MAX_BODY_BYTES),
  () => lineTooLong(),
  () => headersTooLarge(),
  () => checkJsonMediaType({ 'content-type': 'text/plain' }, []),
  () => tooManyRequests(defaultLimits.feed, { retryAfterSeconds: 1 }),
  () => toServiceError(new Error()),
  () => serviceUnavailable(),
  () => timedOut(),
  () => checklistIncomplete(openBefore(checklistOf(uncancelled, null))),
  () => alreadyOpen(),
  () => alreadyInProduction(),
]

/** Refusals of the call for access tokens that differ from those of all other calls. */
export const tokenErrorSamples: readonly (() => unknown)[] = [
  () => checkGrantType({ root: '' }),
  () => readTokenParameters({ headers: { 'content-type': 'text/plain' }, rawHeaders: [] }, Buffer.of()),
  () => tooLong(maxBodyBytesOf(null)),
  () => tooManyRequests(defaultLimits.token, { retryAfterSeconds: 6 }),
]

import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { AccessToken } from '@connectivity/contracts/authentication'
import { ServiceError } from '@connectivity/contracts/errors'
import { BASE_PATH, TOKEN_PATH } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { Scope } from '@connectivity/contracts/scopes'
import type { FastifyInstance } from 'fastify'
import { type PartnerRequest, partnerRequestOf } from '../../http/requests/partner-request.js'
import { leaveBodiesToAdmission } from '../../http/requests/leave-bodies.js'
import { RequestLimits } from '../limits/request-limits.service.js'
import { hashOf, TOKEN_LIFETIME } from '../../live/access-token.js'
import { KeyIdTags } from '../../live/key-id-tags.service.js'
import { AccessTokenStore } from './access-token.store.js'
import { invalidClient } from './client-credentials.js'
import { refuseCrossSite } from './cross-site.js'
import { grantedScopes } from './granted-scopes.js'
import { OAuthClients, type RecognisedClient } from './oauth-clients.service.js'
import {
  invalidTokenRequest,
  readTokenParameters,
  refuseSecretsInQuery,
  type TokenParameters,
} from './token-request.js'

/** POST /oauth/token: the client-credentials grant of RFC 6749 §4.4. */
@Injectable()
export class TokenRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly clients: OAuthClients,
    private readonly tokens: AccessTokenStore,
    private readonly tags: KeyIdTags,
    private readonly limits: RequestLimits,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      // RFC 6749 §5.1 requires Pragma in addition to Cache-Control, on refusals too.
      routes.addHook('onSend', async (_request, reply) => void reply.header('pragma', 'no-cache'))
      routes.all(BASE_PATH + TOKEN_PATH, (request) => this.grant(partnerRequestOf(request)))
    })
  }

  /** @throws ServiceError 400, 401 `invalid_client`, 403 `cross_site_request`, 415, 429, 503 */
  private async grant(partner: PartnerRequest): Promise<AccessToken> {
    const { parameters, ...client } = await this.clients.recognise(partner, () => read(partner))
    const { credentialId, limits, scopes } = client.credential
    await this.limits.count(partner, 'token', credentialId, limits.token)
    checkGrantType(parameters)
    return this.issue(client, grantedScopes(parameters.scope, scopes))
  }

  private async issue(client: RecognisedClient, scopes: readonly Scope[]): Promise<AccessToken> {
    const token = await this.tags.newToken('access')
    const expiresIn = lifetimeOf(client)
    const expiresAt = new Date(Date.now() + expiresIn * 1_000)
    const obtainedWith = { credentialId: client.credential.credentialId, secretCreatedAt: client.secret.createdAt }
    const issued = await this.tokens.issue(hashOf(token), obtainedWith, scopes, expiresAt)
    if (!issued) throw invalidClient()
    return {
      schema_version: SCHEMA_VERSION,
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope: scopes.join(' '),
    }
  }
}

function read({ http, body, query }: PartnerRequest): TokenParameters {
  refuseCrossSite(http.headers)
  const parameters = readTokenParameters(http.raw, body.bytes)
  refuseSecretsInQuery(query)
  return parameters
}

/** A token ends no later than its client and the secret it was obtained with. */
function lifetimeOf({ credential, secret }: RecognisedClient): number {
  const ends = [credential.expiresAt, secret.endsAt].filter((end) => end !== null)
  const left = ends.map((end) => Math.floor((end.getTime() - Date.now()) / 1_000))
  return Math.max(1, Math.min(TOKEN_LIFETIME, ...left))
}

/** @throws ServiceError 400 `unsupported_grant_type`, `invalid_request` without one */
export function checkGrantType({ grant_type, root }: TokenParameters): void {
  if (grant_type === 'client_credentials') return
  const message = 'Send grant_type=client_credentials.'
  if (grant_type === undefined) throw invalidTokenRequest(`${root}grant_type`, 'missing', message)
  throw new ServiceError('unsupported_grant_type', `This grant type is not supported. ${message}`)
}

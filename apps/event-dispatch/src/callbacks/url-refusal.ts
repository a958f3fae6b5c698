import { ServiceError } from '@connectivity/contracts/errors'
import { refusedUrl, urlTextFaults } from '@connectivity/contracts/mutation-rules'
import type { ChallengeFault } from './challenge.js'
import { callbackTarget, type TargetRules, type UrlFault } from '../sending/callback-target.js'

const POINTER = '/url'

const MEANINGS: Record<UrlFault, string> = {
  ...urlTextFaults,
  port: 'This port is not allowed; leave the port out to use 443.',
  ip_literal: 'The URL must hold a host name, not an address.',
}

/**
 * Refuses a URL that cannot be a callback's, before its name is resolved.
 * @throws ServiceError 400 `invalid_request`
 */
export function checkUrl(url: string, rules: TargetRules): void {
  const target = callbackTarget(url, rules)
  if (typeof target === 'string') throw refusedUrl(target, MEANINGS[target])
}

/** Reasons shown to the registering partner. For an address that is not public they reveal nothing more. */
const REASONS: Record<ChallengeFault, string> = {
  blocked_address: 'The host name does not lead to public addresses only.',
  timeout: 'It did not accept the connection within 3 s or answer within 15 s.',
  connection_refused: 'It refused the connection.',
  connection_reset: 'It closed the connection without an answer.',
  tls_error: 'Its TLS certificate does not pass for this host name, or it does not speak TLS.',
  protocol_error: 'It did not answer in HTTP.',
  network_error: 'It could not be reached.',
  unexpected_status: 'It did not answer with a 2xx status.',
  wrong_challenge: 'Its answer is not JSON (at most 16 KiB) with the `challenge` that was sent.',
}

/** 422 `callback_unreachable`; not stored, so that the same key can be used again once the callback is fixed. */
export function unreachable(code: ChallengeFault): ServiceError {
  const message = `The callback did not pass its challenge. ${REASONS[code]}`
  return new ServiceError('callback_unreachable', message, { details: [{ pointer: POINTER, code, message }] })
}

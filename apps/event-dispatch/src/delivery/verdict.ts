import type { AttemptError } from '@connectivity/contracts/callbacks'
import type { Outcome, SendError } from '../sending/sender.js'
import { retryGap } from './retry-schedule.js'

/**
 * What an attempt means for its delivery. `gone` is a 410, which suspends the callback and keeps the delivery first in
 * line. `undone` is an attempt that we aborted, which does not count.
 */
export type Verdict =
  { kind: 'delivered' } | { kind: 'retry'; gap: number } | { kind: 'failed' } | { kind: 'gone' } | { kind: 'undone' }

const ASKS_TO_WAIT = new Set([429, 503])
const GONE = 410

/** Success is a 2xx status line, whatever happens to the body. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/**
 * @param attempt counts from 1 within the current round
 * @param random from 0 to below 1
 */
export function verdictOf(outcome: Outcome, attempt: number, random: number): Verdict {
  const { status, error } = outcome
  if (isSuccess(status)) return { kind: 'delivered' }
  if (error === 'aborted') return { kind: 'undone' }
  if (status === GONE) return { kind: 'gone' }
  const gap = retryGap(attempt, retryAfterOf(outcome), random)
  return gap === null ? { kind: 'failed' } : { kind: 'retry', gap }
}

const retryAfterOf = ({ status, retryAfterSeconds }: Outcome): number | null =>
  status !== null && ASKS_TO_WAIT.has(status) ? retryAfterSeconds : null

/** Maps the sender's errors to the codes that partners see. */
const SHOWN: Record<SendError, AttemptError> = {
  timeout: 'timeout',
  blocked_address: 'blocked_address',
  dns_error: 'blocked_address',
  connection_refused: 'connection_refused',
  connection_reset: 'connection_reset',
  tls_error: 'tls_error',
  protocol_error: 'protocol_error',
  network_error: 'network_error',
  aborted: 'network_error',
  no_place: 'network_error',
}

/** Returns the partner's `last_error`. */
export function errorOf({ status, error }: Outcome): AttemptError | null {
  if (isSuccess(status)) return null
  return error === null ? 'unexpected_status' : SHOWN[error]
}

import type { AttemptError } from '@connectivity/contracts/callbacks'
import type { Outcome, SendError } from '../sending/sender.js'
import { retryGap } from './retry-schedule.js'

/**
 * What an attempt means for its delivery: `gone` is a 410, which suspends the callback and leaves the delivery first in
 * line; `undone` an attempt that we broke off ourselves, which does not count.
 */
export type Verdict =
  { kind: 'delivered' } | { kind: 'retry'; gap: number } | { kind: 'failed' } | { kind: 'gone' } | { kind: 'undone' }

const ASKS_TO_WAIT = new Set([429, 503])
const GONE = 410

/** Success is the status line of a 2xx, whatever the body does. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/**
 * @param attempt of the present round, counted from 1
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

/** What partners read of what the sender knows. */
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

/** What the partner reads as `last_error`. */
export function errorOf({ status, error }: Outcome): AttemptError | null {
  if (isSuccess(status)) return null
  return error === null ? 'unexpected_status' : SHOWN[error]
}

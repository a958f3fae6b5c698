import { HttpStatus } from '@nestjs/common'
import type { AttemptError } from '@connectivity/contracts/callbacks'
import type { Outcome, SendError } from '../sending/sender.js'
import { retryGap } from './retry-schedule.js'

/** Consequence of an attempt for its delivery and for the health of its callback. */
export interface Verdict {
  /** `gone` is a 410, which suspends the callback and keeps the delivery first in line. */
  kind: 'delivered' | 'retry' | 'failed' | 'gone'
  /** Status of the answer; null if there was none. */
  status: number | null
  /** The partner's `last_error`; null for a delivered event. */
  error: AttemptError | null
  timedOut: boolean
  /** Time until the next attempt, ms; only for `retry`. */
  gap: number | null
}

const ASKS_TO_WAIT = new Set([429, 503])

/** Success is a 2xx status line; the body does not matter. */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300

/**
 * @param attempt counts from 1 within the current round
 * @param random from 0 to below 1
 * @returns null for an attempt that we aborted, which does not count
 */
export function verdictOf(outcome: Outcome, attempt: number, random: number): Verdict | null {
  const { status, timedOut } = outcome
  const verdict = { status, error: errorOf(outcome), timedOut, gap: null }
  if (isSuccess(status)) return { kind: 'delivered', ...verdict }
  if (outcome.error === 'aborted') return null
  if (status === HttpStatus.GONE) return { kind: 'gone', ...verdict }
  const gap = retryGap(attempt, retryAfterOf(outcome), random)
  return { kind: gap === null ? 'failed' : 'retry', ...verdict, gap }
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

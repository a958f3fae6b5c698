import type { Outcome } from '../sending/sender.js'
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

/** What the partner reads as `last_error`: the sender's code, or that the answer was not a success. */
export const errorOf = ({ status, error }: Outcome): string | null =>
  isSuccess(status) ? null : (error ?? 'unexpected_status')

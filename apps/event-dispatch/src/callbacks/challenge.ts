import { randomBytes } from 'node:crypto'
import type { AttemptError, CallbackChallenge } from '@connectivity/contracts/callbacks'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { newId } from '@connectivity/service-kit/text'
import { errorOf } from '../delivery/verdict.js'
import type { Outcome } from '../sending/sender.js'

/** A request that the receiver must answer with its challenge. */
export const newChallenge = (connectionId: string): CallbackChallenge => ({
  schema_version: SCHEMA_VERSION,
  event_id: newId('evt'),
  type: 'callback.challenge',
  property_id: connectionId,
  occurred_at: new Date().toISOString(),
  challenge: randomBytes(24).toString('base64url'),
})

/** Reads the challenge from an answer; undefined if the answer is not JSON. */
function challengeIn(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return typeof value === 'object' && value !== null && 'challenge' in value ? value.challenge : undefined
  } catch {
    return undefined
  }
}

/** Reason why a callback failed its challenge. */
export type ChallengeFault = AttemptError | 'wrong_challenge'

/** Why the callback failed its challenge; null if it passed. */
export function challengeFault(outcome: Outcome, challenge: string): ChallengeFault | null {
  const error = errorOf(outcome)
  if (error !== null) return error
  return challengeIn(outcome.body) === challenge ? null : 'wrong_challenge'
}

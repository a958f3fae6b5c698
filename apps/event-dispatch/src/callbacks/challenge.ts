import { randomBytes } from 'node:crypto'
import type { AttemptError, CallbackChallenge } from '@connectivity/contracts/callbacks'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { v7 } from 'uuid'
import { errorOf } from '../delivery/verdict.js'
import type { Outcome } from '../sending/sender.js'

/** Id of something that is sent about a callback: `evt_` and a UUIDv7. */
export const newEventId = (): string => `evt_${v7().replaceAll('-', '')}`

/** A request that asks the receiver to prove that it is one. */
export const newChallenge = (connectionId: string): CallbackChallenge => ({
  schema_version: SCHEMA_VERSION,
  event_id: newEventId(),
  type: 'callback.challenge',
  property_id: connectionId,
  occurred_at: new Date().toISOString(),
  challenge: randomBytes(24).toString('base64url'),
})

/** A challenge's answer that is not JSON holds no challenge. */
function challengeIn(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return typeof value === 'object' && value !== null && 'challenge' in value ? value.challenge : undefined
  } catch {
    return undefined
  }
}

/** Why a callback did not pass its challenge. */
export type ChallengeFault = AttemptError | 'wrong_challenge'

/** Why the callback did not pass; null when it did. */
export function challengeFault(outcome: Outcome, challenge: string): ChallengeFault | null {
  const error = errorOf(outcome)
  if (error !== null) return error
  return challengeIn(outcome.body ?? Buffer.alloc(0)) === challenge ? null : 'wrong_challenge'
}

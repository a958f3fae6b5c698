import { ArrayMaxSize, IsArray, IsString } from 'class-validator'
import type { ServiceName } from './identity.js'
import { OPERATORS_PATH } from './operators-api.js'
import { Optional } from './validation.js'

/** A message that could not be used, as operators see it. */
export interface DeadLetter {
  /** `dl_` and 32 hex digits that sort by time; unique across services. */
  id: string
  service: ServiceName | 'gateway'
  topic: string
  partition: number
  offset: number
  /** The message's key if it is UTF-8, otherwise `base64:` and its bytes; null without a key. */
  key: string | null
  /** Why the last attempt to use it failed. */
  reason: string
  state: DeadLetterState
  received_at: string
  /** Number of failed attempts to use it. */
  attempts: number
}

/** A single dead letter. */
export interface WholeDeadLetter extends DeadLetter {
  /** The message's bytes, which may name a guest: only for the role `connectivity:operate`, whose read is audited. */
  value_base64?: string
}

/** States of a dead letter. */
export const deadLetterStates = ['open', 'discarded', 'replayed'] as const
/** State of a dead letter. */
export type DeadLetterState = (typeof deadLetterStates)[number]

/**
 * Path of a service's own dead letters, newest first; below it are `{id}`, `{id}/replay`, `{id}/discard` and `counts`.
 */
export const deadLettersPath = (service: string): string => `${OPERATORS_PATH}/dead-letters/${service}`

/** Question of the gateway for the overview: open dead letters keyed by connections or by their properties. */
export class CountDeadLetters {
  /** Keys to count; absent: every key with open dead letters, at most 10,000. */
  @Optional()
  @IsArray()
  @ArrayMaxSize(200)
  @IsString({ each: true })
  keys?: string[]
}

/** Answer of `POST counts`; a key without open dead letters is absent. */
export interface DeadLetterCounts {
  counts: { key: string; open: number }[]
}

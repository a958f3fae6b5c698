import type { DeadLetter, WholeDeadLetter } from '@connectivity/contracts/dead-letters'
import type { StoredDeadLetter, WholeStoredLetter } from './dead-letter.store.js'
import { readableKey } from './readable-key.js'

/** A dead letter of a service as operators see it. */
export const presentDeadLetter = (service: string, letter: StoredDeadLetter): DeadLetter => ({
  id: letter.id,
  service: service as DeadLetter['service'],
  topic: letter.topic,
  partition: letter.partition,
  offset: letter.offset,
  key: readableKey(letter.key),
  reason: letter.reason,
  state: letter.state,
  received_at: letter.receivedAt.toISOString(),
  attempts: letter.attempts,
})

/** A dead letter with the message's bytes. */
export const presentWholeLetter = (service: string, letter: WholeStoredLetter): WholeDeadLetter => ({
  ...presentDeadLetter(service, letter),
  value_base64: letter.value.toString('base64'),
})

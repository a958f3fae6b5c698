import { openCloudEvent } from './cloud-event.js'
import { MessageFields } from './message-fields.js'

/**
 * `connectivity.operator-changes.v1`, written by the service in which an operator changed something, read by the
 * gateway, which keeps the audit: operations.md §1. Never a secret.
 */
export interface OperatorChangeEntry {
  /** Made by the owner, `aud_` and a UUIDv7: the same entry may arrive twice. */
  id: string
  /** ISO 8601 time of the change. */
  at: string
  /** `sub` of the operator's token. */
  actor: string
  /** Noun and verb, such as `callback.suspend`. */
  action: string
  /** Id of what was changed: the one in the path. */
  subject: string
  reason: string
  /** What was changed as operators see it; null when it was not there before, or is not any more. */
  before: object | null
  after: object | null
  correlation_id: string
}

/** CloudEvents type of an `OperatorChangeEntry`. */
export const operatorChangeEventType = 'connectivity.operator.changed'

const readObject = (entry: MessageFields, data: unknown, name: 'before' | 'after'): object | null => {
  entry.optionalObject(name)
  return (data as Partial<OperatorChangeEntry>)[name] ?? null
}

/** @throws ContractViolation for anything that is not an operator's change */
export function parseOperatorChange(value: Uint8Array): OperatorChangeEntry {
  const data = openCloudEvent(value)
  const entry = MessageFields.of(data, '/data')
  return {
    id: entry.id('id'),
    at: entry.timestamp('at') ?? entry.fail('at', 'is required'),
    actor: entry.requiredText('actor'),
    action: entry.requiredText('action'),
    subject: entry.requiredText('subject'),
    reason: entry.requiredText('reason'),
    before: readObject(entry, data, 'before'),
    after: readObject(entry, data, 'after'),
    correlation_id: entry.requiredText('correlation_id'),
  }
}

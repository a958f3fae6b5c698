import { openCloudEvent } from './cloud-event.js'
import { type ServiceName, services } from './identity.js'
import { MessageFields } from './message-fields.js'

/**
 * `connectivity.operator-changes.v1`, written by the service in which an operator changed something, read by the
 * gateway, which keeps the audit. Never a secret.
 */
export interface AuditEntry {
  /** Made by the owner, `aud_` and a UUIDv7: the same entry may arrive twice. */
  id: string
  /** ISO 8601 time of the change. */
  at: string
  /** `sub` of the operator's token, or the e-mail of the person who uses the portal. */
  actor: string
  /**
   * Noun and verb, such as `callback.suspend`; for an operator's change outside the gateway one of `serviceActions`.
   * For a change in the portal the call, such as `PUT /properties/{id}/callback`.
   */
  action: string
  /** Id of what was changed: the one in the path. */
  subject: string
  /** Reason of the operator; null for changes in the portal. */
  reason: string | null
  /** The object before the change, as operators see it; null if the change created it. */
  before: object | null
  /** The object after the change; null if the change deleted it. */
  after: object | null
  correlation_id: string
}

/** CloudEvents type of an `AuditEntry`. */
export const operatorChangeEventType = 'connectivity.operator.changed'

/** Actions on dead letters, which every service has. */
const onDeadLetters = ['dead_letter.read', 'dead_letter.replay', 'dead_letter.discard'] as const

/** Actions whose audit entries each service may send; the gateway refuses the entry of any other. */
export const serviceActions = {
  catalog: ['connection.mappings', ...onDeadLetters],
  'reservation-feed': ['connection.redeliver', ...onDeadLetters],
  ari: onDeadLetters,
  'event-dispatch': ['callback.suspend', 'callback.resume', ...onDeadLetters],
} as const satisfies Record<ServiceName, readonly string[]>

/** Actions on the gateway's own registry. */
type RegistryAction =
  | `application.${'create' | 'approve' | 'suspend' | 'limits'}`
  | `connection.${'create' | 'transition'}`
  | `credential.${'issue' | 'rotate' | 'revoke'}`
  | `production_request.${'approve' | 'reject'}`
  | `portal_link.${'issue' | 'revoke'}`

/** An action that the audit records. */
export type OperatorAction = RegistryAction | (typeof serviceActions)[ServiceName][number]

/** Sender of an entry with its proofs; added to the entry in the message. */
export interface OperatorChangeProof {
  service: ServiceName
  /** MACs (base64url), one with each identity key of the service: replicas of the gateway differ while keys rotate. */
  proofs: readonly string[]
}

/** Most identity keys that a service holds at once; a message with more proofs is refused. */
const MAX_PROOFS = 8

/** The text that a proof signs: one line of JSON, so it cannot be mistaken for an identity token. */
export const operatorChangeText = (service: ServiceName, entry: AuditEntry): string =>
  JSON.stringify([
    'connectivity.operator-change.v1',
    service,
    entry.id,
    entry.at,
    entry.actor,
    entry.action,
    entry.subject,
    entry.reason,
    entry.before,
    entry.after,
    entry.correlation_id,
  ])

const readObject = (entry: MessageFields, data: unknown, name: 'before' | 'after'): object | null => {
  entry.optionalObject(name)
  return (data as Partial<AuditEntry>)[name] ?? null
}

function readProof(fields: MessageFields): OperatorChangeProof {
  const service = fields.word('service', services)
  const proofs = fields.values('proofs', (each, index) => each.requiredText(index))
  if (proofs.length > MAX_PROOFS) fields.fail('proofs', `must hold at most ${MAX_PROOFS} proofs`)
  return { service, proofs }
}

/** A message as it was read; the caller verifies the proof. */
export interface ReadOperatorChange {
  entry: AuditEntry
  proof: OperatorChangeProof
  /** The text that the proof signs: the entry as received, before texts are made storable. */
  text: string
}

/** @throws ContractViolation for anything that is not an operator's change with a proof */
export function parseOperatorChange(value: Uint8Array): ReadOperatorChange {
  const data = openCloudEvent(value)
  const fields = MessageFields.of(data, '/data')
  const entry = {
    id: fields.id('id'),
    at: fields.timestamp('at') ?? fields.fail('at', 'is required'),
    actor: fields.requiredText('actor'),
    action: fields.requiredText('action'),
    subject: fields.requiredText('subject'),
    reason: fields.text('reason'),
    before: readObject(fields, data, 'before'),
    after: readObject(fields, data, 'after'),
    correlation_id: fields.requiredText('correlation_id'),
  }
  const proof = readProof(fields)
  return { entry, proof, text: operatorChangeText(proof.service, data as AuditEntry) }
}

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

/** Id of an entry, with the time of its UUIDv7 in ms. */
const AUDIT_ID = /^aud_([0-9a-f]{12})[0-9a-f]{20}$/
/** Most that the clock of a service may be ahead, ms. */
const CLOCK_SKEW = 5 * 60_000
/** Longest actor, an e-mail address, and longest reason, characters. */
const MAX_ACTOR = 320
const MAX_REASON = 500
/** Most levels of an object before or after a change. */
const MAX_DEPTH = 32

/** Whether a JSON value is nested at most this deep. */
const isWithin = (levels: number, value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isWithin(levels - 1, each)))

const readObject = (entry: MessageFields, data: unknown, name: 'before' | 'after'): object | null => {
  entry.optionalObject(name)
  const value = (data as Partial<AuditEntry>)[name] ?? null
  return isWithin(MAX_DEPTH, value) ? value : entry.fail(name, `must not be nested deeper than ${MAX_DEPTH} levels`)
}

/** The audit lists entries by their ids, so that one of a later time would stay its first. */
function readAuditId(fields: MessageFields): string {
  const id = fields.id('id')
  const [, time] = AUDIT_ID.exec(id) ?? fields.fail('id', 'must be aud_ and a UUIDv7 in 32 hexadecimal digits')
  if (Number.parseInt(time!, 16) > Date.now() + CLOCK_SKEW) fields.fail('id', 'must not have a time in the future')
  return id
}

function readTime(fields: MessageFields): string {
  const at = fields.timestamp('at') ?? fields.fail('at', 'is required')
  return Date.parse(at) <= Date.now() + CLOCK_SKEW ? at : fields.fail('at', 'must not be in the future')
}

function readActor(fields: MessageFields): string {
  const actor = fields.requiredText('actor')
  return actor !== '' && [...actor].length <= MAX_ACTOR
    ? actor
    : fields.fail('actor', `must have 1 to ${MAX_ACTOR} characters`)
}

function readReason(fields: MessageFields): string | null {
  const reason = fields.text('reason')
  return reason === null || (reason !== '' && [...reason].length <= MAX_REASON)
    ? reason
    : fields.fail('reason', `must have 1 to ${MAX_REASON} characters`)
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
    id: readAuditId(fields),
    at: readTime(fields),
    actor: readActor(fields),
    action: fields.requiredText('action'),
    subject: fields.requiredText('subject'),
    reason: readReason(fields),
    before: readObject(fields, data, 'before'),
    after: readObject(fields, data, 'after'),
    correlation_id: fields.requiredText('correlation_id'),
  }
  const proof = readProof(fields)
  return { entry, proof, text: operatorChangeText(proof.service, data as AuditEntry) }
}

import type { AuditEntryEntity } from './audit-entry.entity.js'

/** A change as operators see it. */
export const presentEntry = (entry: AuditEntryEntity): object => ({
  id: entry.id,
  at: entry.at,
  actor: entry.actor,
  action: entry.action,
  subject: entry.subject,
  reason: entry.reason,
  before: entry.before,
  after: entry.after,
  correlation_id: entry.correlationId,
})

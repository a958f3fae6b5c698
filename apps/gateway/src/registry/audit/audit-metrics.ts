import { Counter } from 'prom-client'

/** Entries of other services that the audit refused. */
export const auditEntriesRefused = new Counter({
  name: 'connectivity_audit_entries_refused_total',
  help: 'Messages on the topic of audit entries that no service has proven to be its own; each is a dead letter.',
})

import { Counter } from 'prom-client'

/** Requests that are missing in the request log. */
export const droppedEntries = new Counter({
  name: 'connectivity_request_log_dropped_total',
  help: 'Requests left out of the request log: the database was too slow (backlog), too many failed authentications of one key or address (flood), refused by the database (unwritable).',
  labelNames: ['reason'],
})

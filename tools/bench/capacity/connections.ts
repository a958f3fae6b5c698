// Connections to PostgreSQL that the instances of a service need.
import { STATEMENTS_AT_ONCE, TRANSACTIONS_AT_ONCE } from '@connectivity/database'

/** Connections of one process: statements, transactions and TypeORM, and up to four for locks and notifications. */
const CONNECTIONS = 2 * STATEMENTS_AT_ONCE + TRANSACTIONS_AT_ONCE + 4
/** Connections that PostgreSQL, its operator and a person at the prompt need. */
const RESERVED = 20

/** `max_connections` that a number of instances needs; a roll-out adds one. */
export const connectionsFor = (instances: number): number => (instances + 1) * CONNECTIONS + RESERVED
/** Number of instances for which a `max_connections` is enough. */
export const instancesWith = (maxConnections: number): number =>
  Math.floor((maxConnections - RESERVED) / CONNECTIONS) - 1

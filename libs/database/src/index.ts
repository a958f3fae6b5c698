export { bulkColumn, bulkNulls, bulkRows, bulkText, bulkValue, textOf } from './bulk.js'
export { CommitSignal, OUTBOX_WRITTEN } from './commit-signals.js'
export { databaseAccess, databaseKeys, migrationKeys } from './config.js'
export { Database, GENERIC_PLANS, NO_SCANS, STATEMENTS_AT_ONCE, TRANSACTIONS_AT_ONCE } from './database.js'
export { DatabaseModule } from './database.module.js'
export { advisoryLocks, endWhenFrozen, isAlive, isLockTimeout, tryLock, unlock } from './locks.js'
export { mustHold } from './must-hold.js'
export {
  BehindFence,
  type EmptyOffsets,
  type FencedPartition,
  forgetFence,
  lockFence,
  passFence,
  readFences,
  skipOffsets,
} from './offset-fence.js'
export { enqueue, type OutboxMessage } from './outbox.js'
export { maintainPartitions } from './partitions.js'
export { deleteBatch, purge, Purging } from './purging.js'
export { queryRows } from './query-rows.js'
export { type Queryable, Transaction } from './transaction.js'

import { CommitSignal } from '@connectivity/database'

/** Deliveries may have become due. */
export const DELIVERIES_DUE = new CommitSignal('deliveries due')

/** The backlog of a callback has changes left to apply in pieces. */
export const BACKLOG_CHANGED = new CommitSignal('backlog changed')

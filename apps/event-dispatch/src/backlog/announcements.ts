/** Announced on commit: deliveries may have become due. */
export const DELIVERIES_DUE = 'deliveries due'

/** Announced on commit: the backlog of a callback has changes left to apply in pieces. */
export const BACKLOG_CHANGED = 'backlog changed'

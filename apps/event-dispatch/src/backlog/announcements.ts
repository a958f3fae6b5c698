/** Name under which a commit announces that deliveries may have become due. */
export const DELIVERIES_DUE = 'deliveries due'

/** Name under which a commit announces that a backlog is left to be changed in pieces. */
export const BACKLOG_CHANGED = 'backlog changed'

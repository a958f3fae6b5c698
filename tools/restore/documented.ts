// The statements of docs/operations/backup.md, which the drill runs unchanged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../deploy/local/bootstrap/config.mjs'

const PAGE = 'docs/operations/backup.md'

/** @throws Error when the page no longer has the statement */
function statement(page: string, pattern: RegExp): string {
  const found = pattern.exec(page)?.[1]
  if (found === undefined) throw new Error(`${PAGE} has no ${pattern}`)
  return found
}

/** The statements of a restore of the feed. */
export interface Documented {
  /** Query of event dispatch: the highest number of an event, by connection. */
  seen: string
  /** Statement of the restored feed: creates the table `seen`, for raising the numbers. */
  createSeen: string
  raise: string
  /** Query of the restored feed: feeds that were not live. */
  notLive: string
}

/** Reads the page. */
export function documented(): Documented {
  const page = readFileSync(join(root, PAGE), 'utf8')
  return {
    seen: statement(page, /COPY \((SELECT s\.connection_id, .*)\) TO STDOUT/),
    createSeen: statement(page, /(CREATE TEMP TABLE seen [^;]*);/),
    raise: statement(page, /(UPDATE feed_connection f SET last_sequence [^;]*);/),
    notLive: statement(page, /`(SELECT connection_id, state, now\(\) FROM feed_connection [^`]*)`/),
  }
}

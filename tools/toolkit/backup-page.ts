// The statements and lines of docs/operations/backup.md, and of runbooks, which drills and tests run unchanged.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './config.ts'

const PAGE = 'docs/operations/backup.md'

/**
 * A part of the page, or of another one: the first group of a pattern.
 * @throws Error when the page no longer has it
 */
export function partOfPage(pattern: RegExp, page = PAGE): string {
  const found = pattern.exec(readFileSync(join(root, page), 'utf8'))?.[1]
  if (found === undefined) throw new Error(`${page} has no ${pattern}`)
  return found
}

/** The statements of a restore of the feed, of the catalog and of ARI. */
export interface Documented {
  /** Query of event dispatch: the highest number of an event, by connection. */
  seen: string
  /** Statement of the restored feed: creates the table `seen`, for raising the numbers. */
  createSeen: string
  raise: string
  /** Query of the restored feed: feeds that were not live. */
  notLive: string
  /** Query of the feed: versions of catalogs and mappings that are known outside the catalog, by connection. */
  versions: string
  /** Statement of the restored catalog: creates the table `known`, for raising these versions. */
  createKnown: string
  raiseVersions: string
  /** Statement of the restored ARI: creates the table `written`, for raising the revisions of properties. */
  createWritten: string
  raiseRevisions: string
}

/** Reads the page. */
export function documented(): Documented {
  return {
    seen: partOfPage(/COPY \((SELECT s\.connection_id, .*)\) TO STDOUT/),
    createSeen: partOfPage(/(CREATE TEMP TABLE seen [^;]*);/),
    raise: partOfPage(/(UPDATE feed_connection f SET last_sequence [^;]*);/),
    notLive: partOfPage(/`(SELECT connection_id, state, now\(\) FROM feed_connection [^`]*)`/),
    versions: partOfPage(/COPY \((SELECT connection_id, catalog_version, .*)\) TO STDOUT/),
    createKnown: partOfPage(/(CREATE TEMP TABLE known [^;]*);/),
    raiseVersions: partOfPage(/(INSERT INTO catalog_version AS v [^;]*);/),
    createWritten: partOfPage(/(CREATE TEMP TABLE written [^;]*);/),
    raiseRevisions: partOfPage(/(INSERT INTO property AS p [^;]*);/),
  }
}

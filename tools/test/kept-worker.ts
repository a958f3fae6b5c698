// Open handles that keep a Jest worker alive.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHandles } from './open-handles.ts'

const logOf = (logs: string): string => join(logs, 'kept-workers.log')

/** Requests of the file system end by themselves; suites are checked for those that do not. */
const FILE_REQUEST = /\bFSReq/

/**
 * Records the open handles of this process when Jest ends it by force, 0.5 s after its last suite. A worker that is
 * only slow, on a busy machine, has none.
 */
export function noteWhatKeepsWorker(logs: string): void {
  const before = openHandles()
  process.once('SIGTERM', () => {
    const left = openHandles(before).filter((what) => !FILE_REQUEST.test(what))
    if (left.length > 0) appendFileSync(logOf(logs), `${left.join(', ')}\n`)
    process.exit(143)
  })
}

/** @returns the open handles of each worker that did not end by itself, a line for each */
export const keptWorkers = (logs: string): string[] =>
  existsSync(logOf(logs)) ? readFileSync(logOf(logs), 'utf8').trimEnd().split('\n') : []

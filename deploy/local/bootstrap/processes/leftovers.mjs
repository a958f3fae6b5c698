// A killed launcher leaves its pid file. Its guardian ends the processes in it; if the guardian was killed too, the
// next start does.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { say } from '../machine/progress.mjs'
import { end, gone } from './end.mjs'
import { readPidFile } from './pid-file.mjs'

const GUARDIAN_TAKES = 25_000

/**
 * Ends the processes that an earlier run in `dir` left behind.
 * @param {string} dir
 */
export async function cleanUpAfterKilled(dir) {
  const file = join(dir, 'pids.json')
  const entries = readPidFile(file)
  await gone(
    entries.filter(({ kind }) => kind === 'guardian'),
    GUARDIAN_TAKES,
  )
  const ended = await end(entries)
  if (ended.length > 0) say(`ended processes of an earlier run: ${ended.map(({ name }) => name).join(', ')}`)
  rmSync(file, { force: true })
}

// JSON files that are never seen half written and that, unless told otherwise, only their owner may read.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Writes JSON aside and renames it into place. */
export function writeWhole(file, value, mode = 0o600) {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify(value, null, 2)}\n`, { mode })
  renameSync(aside, file)
}

/** Reads JSON; `otherwise` when there is no such file. */
export function readWhole(file, otherwise) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise
    throw error
  }
}

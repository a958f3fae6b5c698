// JSON files that are written atomically and, by default, readable by their owner only.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Writes JSON to a temporary file and renames it into place. */
export function writeWhole(file, value, mode = 0o600) {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify(value, null, 2)}\n`, { mode })
  renameSync(aside, file)
}

/** Reads JSON; returns `otherwise` when the file does not exist. */
export function readWhole(file, otherwise) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return otherwise
    throw error
  }
}

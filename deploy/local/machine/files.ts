// JSON files that are written atomically and, by default, readable by their owner only.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Writes JSON to a temporary file and renames it into place. */
export function writeWhole(file: string, value: unknown, mode = 0o600): void {
  const aside = `${file}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify(value, null, 2)}\n`, { mode })
  renameSync(aside, file)
}

/** Reads JSON; returns `otherwise` when the file does not exist. */
export function readWhole<T>(file: string, otherwise: T): T
export function readWhole<T>(file: string): T | undefined
export function readWhole<T>(file: string, otherwise?: T): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise
    throw error
  }
}

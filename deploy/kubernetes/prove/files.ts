// Folders and files of the programs that a proof starts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a folder; returns its path. */
export function folderIn(dir: string, name: string): string {
  mkdirSync(join(dir, name), { recursive: true })
  return join(dir, name)
}

/** Writes a file that only its owner can read; returns its path. */
export function fileIn(dir: string, name: string, text: string): string {
  writeFileSync(join(dir, name), text, { mode: 0o600 })
  return join(dir, name)
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { type CompressedForms, compressedForms, originalOf } from './compressed-forms.js'

/** A file of a built site, in memory. */
export interface SiteFile {
  /** Media type. */
  type: string
  body: Buffer
  /** Compressed forms of the body, where they are smaller. */
  compressed: CompressedForms
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.md': 'text/markdown; charset=utf-8',
}
/** Media type of all other files: samples of code and llms.txt. */
const TEXT = 'text/plain; charset=utf-8'

/** Reads the files below a folder. @returns them by their path below it, with `/` between its parts */
export function readSite(folder: string): Map<string, SiteFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const originals = paths.filter((path) => originalOf(path) === null)
  return new Map(originals.map((path) => [relative(folder, path).split(sep).join('/'), readSiteFile(path)]))
}

/** Reads one file and its compressed forms. */
export const readSiteFile = (path: string): SiteFile => ({
  type: types[extname(path)] ?? TEXT,
  body: readFileSync(path),
  compressed: compressedForms((suffix) => (existsSync(path + suffix) ? readFileSync(path + suffix) : undefined)),
})

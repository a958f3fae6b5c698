// Writes the tables of docs/operations/capacity.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { tables } from './page.ts'

const PAGE = join(import.meta.dirname, '../../../docs/operations/capacity.md')
const BETWEEN = /(<!-- npm run capacity -->\n)[\s\S]*(\n<!-- until here -->)/

/** Computes the tables from docs/benchmarks/*.json. @returns the tables, Markdown */
export async function writeCapacity(): Promise<string> {
  const made = tables()
  const page = readFileSync(PAGE, 'utf8')
  const written = page.replace(BETWEEN, (_, begin: string, end: string) => `${begin}\n${made}${end}`)
  writeFileSync(PAGE, await format(written, { ...(await resolveConfig(PAGE)), parser: 'markdown' }))
  return made
}

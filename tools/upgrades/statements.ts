// The SQL of a migration, collected without a database.
import { createHash } from 'node:crypto'

/** Part of a query runner that collects a migration. */
interface Runner {
  query(sql: string): Promise<unknown>
}

/** The class of a migration, as far as it is read here. */
export interface MigrationClass {
  new (): { up(runner: Runner): Promise<void> }
  readonly name: string
}

/** The statements that a migration class runs, without comments and line breaks. */
export async function statementsOf(Migration: MigrationClass): Promise<string[]> {
  const heard: string[] = []
  await new Migration().up({ query: async (sql: string) => void heard.push(sql) })
  return heard
    .flatMap(split)
    .map(plain)
    .filter((statement) => statement !== '')
}

/** Digest of the statements, regardless of their layout. */
export const digestOf = (statements: readonly string[]): string =>
  createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 32)

const plain = (sql: string): string =>
  sql
    .replace(/--[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Splits at semicolons outside of quotes; in our migrations only comments on columns have quoted ones. */
const split = (sql: string): string[] => sql.match(/(?:'[^']*'|[^;'])+/g) ?? []

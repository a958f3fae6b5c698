// The SQL of a migration, collected without a database.
import { createHash } from 'node:crypto'

/** The statements that a migration class runs, without comments and line breaks. */
export async function statementsOf(Migration) {
  const heard = []
  await new Migration().up({ query: async (sql) => void heard.push(sql) })
  return heard
    .flatMap(split)
    .map(plain)
    .filter((statement) => statement !== '')
}

/** Digest of the statements, regardless of their layout. */
export const digestOf = (statements) => createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 32)

const plain = (sql) =>
  sql
    .replace(/--[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** Splits at semicolons outside of quotes; in our migrations only comments on columns have quoted ones. */
const split = (sql) => sql.match(/(?:'[^']*'|[^;'])+/g) ?? []

// What a migration does, as SQL, without a database.
import { createHash } from 'node:crypto'

/** The statements that a migration class runs, comments and line breaks apart. */
export async function statementsOf(Migration) {
  const heard = []
  await new Migration().up({ query: async (sql) => void heard.push(sql) })
  return heard
    .flatMap(split)
    .map(plain)
    .filter((statement) => statement !== '')
}

/** Of what the statements say, not of how they are laid out. */
export const digestOf = (statements) => createHash('sha256').update(statements.join(';\n')).digest('hex').slice(0, 32)

const plain = (sql) =>
  sql
    .replace(/--[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .trim()

/** At semicolons; texts in quotes have none in our migrations but in comments on columns. */
const split = (sql) => sql.match(/(?:'[^']*'|[^;'])+/g) ?? []

import type { Queryable } from './transaction.js'

interface Partitions {
  table: string
  /** Days for which rows are kept. */
  days: number
}

/**
 * Adds upcoming partitions of a table and drops expired ones, with the function that its migration created; any process
 * may call it at any time.
 * @returns number of partitions dropped
 */
export async function maintainPartitions(on: Queryable, { table, days }: Partitions): Promise<number> {
  const text = `SELECT maintain_${table}($1) AS dropped`
  const { rows } = await on.query<{ dropped: number }>({ text, values: [days] })
  return rows[0]!.dropped
}

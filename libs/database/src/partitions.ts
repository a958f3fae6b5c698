import type { Queryable } from './transaction.js'

/**
 * Adds upcoming partitions of a table and drops expired ones, with the function that its migration created; any process
 * may call it at any time.
 * @returns number of partitions dropped
 */
export async function maintainPartitions(on: Queryable, { table }: { table: string }): Promise<number> {
  const { rows } = await on.query<{ dropped: number }>(`SELECT maintain_${table}() AS dropped`)
  return rows[0]!.dropped
}

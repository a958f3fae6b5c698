import type { Queryable } from './transaction.js'

/**
 * Adds the coming partitions of a table and drops its expired ones, by the function that its migration made; any service may
 * do so at any time.
 * @returns number of partitions dropped
 */
export async function maintainPartitions(on: Queryable, { table }: { table: string }): Promise<number> {
  const { rows } = await on.query<{ dropped: number }>(`SELECT maintain_${table}() AS dropped`)
  return rows[0]!.dropped
}

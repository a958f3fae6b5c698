import type { QueryConfig } from 'pg'
import type { Queryable } from './transaction.js'

/**
 * The rows of a statement as tuples in the order of its columns; pg then builds no object with names for each row.
 * @typeParam Row the tuple, typed by the caller as pg reads each column
 */
export async function queryRows<Row extends unknown[]>(on: Queryable, statement: QueryConfig): Promise<Row[]> {
  const { rows } = await on.query<Row>({ ...statement, rowMode: 'array' })
  return rows
}

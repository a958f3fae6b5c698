import type { PoolClient } from 'pg'
import type { DataSource, EntityManager } from 'typeorm'

/**
 * TypeORM's entity manager on the client of an open transaction: it takes no connection of its own and begins no
 * transaction.
 */
export function entityManagerOn(source: DataSource, client: PoolClient): EntityManager {
  const runner = source.createQueryRunner()
  return Object.assign(runner, { connect: () => Promise.resolve(client), isTransactionActive: true }).manager
}

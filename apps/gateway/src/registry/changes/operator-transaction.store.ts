import { arrived, type Database, type Transaction } from '@connectivity/database/database'
import type { EntityManager } from 'typeorm'

/** An open transaction of an operator's change: `entities` for rows; `tx` is the same transaction, for plain SQL. */
export interface OperatorTransaction {
  entities: EntityManager
  tx: Transaction
}

/** Runs `work` in one transaction and commits, or rolls everything back when it throws. */
export async function inOperatorTransaction<T>(
  database: Database,
  work: (open: OperatorTransaction) => Promise<T> | T,
): Promise<T> {
  const runner = (await database.dataSource()).createQueryRunner()
  let tx: Transaction | undefined
  try {
    tx = (await runner.connect()) as Transaction
    await runner.startTransaction()
    const result = await work({ entities: runner.manager, tx })
    await arrived(tx)
    await runner.commitTransaction()
    database.committed.emit('outbox')
    return result
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined)
    // Await the other queries, which the first failure made fail as well.
    if (tx) await arrived(tx)
    throw error
  } finally {
    await runner.release()
  }
}

/** Transactions for `answerOnce` whose work also uses entities. */
export const transactionsWithEntities = (
  database: Database,
  onOpen: (open: OperatorTransaction) => void,
): Pick<Database, 'transaction'> => ({
  transaction: (work) =>
    inOperatorTransaction(database, (open) => {
      onOpen(open)
      return work(open.tx)
    }),
})

import type { Transaction } from '@connectivity/database'
import { isId } from '@connectivity/service-kit/text'
import type { EntityTarget, FindOptionsWhere, ObjectLiteral } from 'typeorm'

/** The row with the given id, locked until the transaction ends; null for an unknown id. */
export async function lockedRow<Row extends ObjectLiteral>(
  tx: Transaction,
  entity: EntityTarget<Row>,
  id: string,
  where: FindOptionsWhere<Row>,
): Promise<Row | null> {
  if (!isId(id)) return null
  return (await tx.entities()).findOne(entity, { where, lock: { mode: 'pessimistic_write' } })
}

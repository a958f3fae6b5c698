import { Injectable } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { type FindOptionsWhere, LessThan } from 'typeorm'
import { lockedRow } from '../locked-row.store.js'
import { ProductionRequestEntity } from './production-request.entity.js'

/** Requests for production. */
@Injectable()
export class ProductionRequestStore {
  constructor(private readonly database: Database) {}

  /** The newest request of the connection, null without one. */
  async newest(connectionId: string): Promise<ProductionRequestEntity | null> {
    const entities = await this.database.entities()
    return entities.findOne(ProductionRequestEntity, { where: { connectionId }, order: { requestId: 'DESC' } })
  }

  async find(id: string): Promise<ProductionRequestEntity | null> {
    return (await this.database.entities()).findOneBy(ProductionRequestEntity, { requestId: id })
  }

  /** Newest first, one more than the page's limit. */
  async list(
    filter: FindOptionsWhere<ProductionRequestEntity>,
    { limit, after }: PageRequest,
  ): Promise<ProductionRequestEntity[]> {
    const entities = await this.database.entities()
    const where = { ...filter, ...(after === null ? {} : { requestId: LessThan(after) }) }
    return entities.find(ProductionRequestEntity, { where, order: { requestId: 'DESC' }, take: limit + 1 })
  }

  /** Whether a request of the connection waits for its decision. */
  async hasOpen(tx: Transaction, connectionId: string): Promise<boolean> {
    return (await tx.entities()).existsBy(ProductionRequestEntity, { connectionId, state: 'submitted' })
  }

  /** The request, locked until the transaction ends. */
  lock(tx: Transaction, id: string): Promise<ProductionRequestEntity | null> {
    return lockedRow(tx, ProductionRequestEntity, id, { requestId: id })
  }

  async insert(tx: Transaction, request: ProductionRequestEntity): Promise<void> {
    await (await tx.entities()).insert(ProductionRequestEntity, request)
  }

  async update(tx: Transaction, request: ProductionRequestEntity): Promise<void> {
    await (await tx.entities()).save(request)
  }
}

import { Injectable } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { isId } from '@connectivity/service-kit/text'
import { LessThan } from 'typeorm'
import { announceChange } from '../../live/changes.service.js'
import { lockedRow } from '../locked-row.store.js'
import { ApplicationEntity } from './application.entity.js'

/** Applications. */
@Injectable()
export class ApplicationStore {
  constructor(private readonly database: Database) {}

  /** @param on the transaction that needs it, if any */
  async find(id: string, on: Pick<Transaction, 'entities'> = this.database): Promise<ApplicationEntity | null> {
    if (!isId(id)) return null
    return (await on.entities()).findOneBy(ApplicationEntity, { applicationId: id })
  }

  /** Newest first, one more than the page's limit. */
  async list({ limit, after }: PageRequest): Promise<ApplicationEntity[]> {
    const entities = await this.database.entities()
    const where = after === null ? {} : { applicationId: LessThan(after) }
    return entities.find(ApplicationEntity, { where, order: { applicationId: 'DESC' }, take: limit + 1 })
  }

  /** The application, locked until the transaction ends. */
  lock(tx: Transaction, id: string): Promise<ApplicationEntity | null> {
    return lockedRow(tx, ApplicationEntity, id, { applicationId: id })
  }

  async insert(tx: Transaction, application: ApplicationEntity): Promise<void> {
    await (await tx.entities()).insert(ApplicationEntity, application)
  }

  /** Writes a locked application and announces the change to every gateway. */
  async update(tx: Transaction, application: ApplicationEntity): Promise<void> {
    await (await tx.entities()).save(application)
    announceChange(tx, 'application', application.applicationId)
  }
}

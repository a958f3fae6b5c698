import { Injectable } from '@nestjs/common'
import { Database, deleteBatch, type Transaction } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { LessThan } from 'typeorm'
import { announceChange } from '../../live/changes.service.js'
import { lockedRow } from '../locked-row.store.js'
import { PortalLinkEntity } from './portal-link.entity.js'

/** Days for which an ended link is still listed; the audit keeps its issue for longer. */
const LISTED_DAYS = 90

/** Portal links. */
@Injectable()
export class PortalLinkStore {
  constructor(private readonly database: Database) {}

  /** Newest first, one more than the page's limit. */
  async list(applicationId: string, { limit, after }: PageRequest): Promise<PortalLinkEntity[]> {
    const entities = await this.database.entities()
    const where = { applicationId, ...(after === null ? {} : { portalLinkId: LessThan(after) }) }
    return entities.find(PortalLinkEntity, { where, order: { portalLinkId: 'DESC' }, take: limit + 1 })
  }

  /** The link, locked until the transaction ends. */
  lock(tx: Transaction, id: string): Promise<PortalLinkEntity | null> {
    return lockedRow(tx, PortalLinkEntity, id, { portalLinkId: id })
  }

  async insert(tx: Transaction, link: PortalLinkEntity): Promise<void> {
    await (await tx.entities()).insert(PortalLinkEntity, link)
  }

  /** Writes a locked link and announces the change to every gateway. */
  async update(tx: Transaction, link: PortalLinkEntity): Promise<void> {
    await (await tx.entities()).save(link)
    announceChange(tx, 'portal_link', link.portalLinkId)
  }

  /** @returns number of links deleted, at most one batch */
  purge(): Promise<number> {
    return deleteBatch(this.database, 'portal_link', `expires_at < now() - interval '${LISTED_DAYS} days'`)
  }
}

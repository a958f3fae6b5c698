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

/**
 * Ends all links and sessions of an application; they stay dead when it is resumed. The caller announces its change.
 */
export async function endPortalLinks(tx: Transaction, applicationId: string): Promise<void> {
  await tx.query(
    `WITH locked AS MATERIALIZED (
       SELECT portal_link_id FROM portal_link
        WHERE application_id = $1 AND revoked_at IS NULL AND session_ended_at IS NULL
          AND coalesce(session_expires_at, expires_at) > now()
        ORDER BY portal_link_id FOR NO KEY UPDATE)
     UPDATE portal_link l
        SET revoked_at = now(), session_ended_at = CASE WHEN session_started_at IS NOT NULL THEN now() END
       FROM locked WHERE l.portal_link_id = locked.portal_link_id`,
    [applicationId],
  )
}

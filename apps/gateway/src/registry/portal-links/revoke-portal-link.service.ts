import { Injectable } from '@nestjs/common'
import { notFound } from '@connectivity/service-kit/operators'
import type { Change } from '../changes/operator-changes.service.js'
import { PortalLinkStore } from './portal-link.store.js'
import { presentPortalLink } from './portal-link.view.js'

/** Revokes portal links. */
@Injectable()
export class RevokePortalLinkService {
  constructor(private readonly links: PortalLinkStore) {}

  /**
   * Ends a link and its session at once; repeating it changes nothing.
   * @throws ServiceError 404
   */
  async revoke({ tx, record }: Change, id: string): Promise<object> {
    const link = await this.links.lock(tx, id)
    if (!link) throw notFound('portal link')
    const before = presentPortalLink(link)
    if (link.revokedAt) return before
    link.revokedAt = new Date()
    if (link.sessionStartedAt) link.sessionEndedAt ??= link.revokedAt
    await this.links.update(tx, link)
    const after = presentPortalLink(link)
    record({ subject: id, before, after })
    return after
  }
}

import { hash, randomBytes } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { IssuePortalLink } from '@connectivity/contracts/operators-api'
import { newId } from '@connectivity/service-kit/text'
import { notFound } from '@connectivity/service-kit/operators'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { ApplicationStore } from '../applications/application.store.js'
import type { Change } from '../changes/operator-changes.service.js'
import type { PortalLinkEntity } from './portal-link.entity.js'
import { PortalLinkStore } from './portal-link.store.js'
import { presentPortalLink } from './portal-link.view.js'

const MINUTE = 60_000
const TOKEN_BYTES = 32

/** Issues links with which people sign in to the portal. */
@Injectable()
export class IssuePortalLinkService {
  constructor(
    private readonly applications: ApplicationStore,
    private readonly links: PortalLinkStore,
    @Inject(GATEWAY_CONFIG)
    private readonly config: Pick<GatewayConfig, 'PUBLIC_URL' | 'PUBLIC_PORT' | 'PORTAL_LINK_MINUTES'>,
  ) {}

  /**
   * @returns the link with its address, which is shown this once
   * @throws ServiceError 404; 409 `application_not_approved`
   */
  async issue({ tx, record }: Change, applicationId: string, { email, role }: IssuePortalLink): Promise<object> {
    const application = await this.applications.lock(tx, applicationId)
    if (!application) throw notFound('application')
    const { state } = application
    if (state !== 'approved') {
      throw new ServiceError('application_not_approved', `The application is ${state}; approve it first.`)
    }
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const link = newLink({ applicationId, email, role }, token, this.config.PORTAL_LINK_MINUTES)
    await this.links.insert(tx, link)
    const shown = presentPortalLink(link)
    record({ subject: link.portalLinkId, before: null, after: { application_id: applicationId, ...shown } })
    return { ...shown, url: `${this.address()}/portal/sign-in#${token}` }
  }

  private address(): string {
    const { PUBLIC_URL, PUBLIC_PORT } = this.config
    return PUBLIC_URL === '' ? `http://127.0.0.1:${PUBLIC_PORT}` : PUBLIC_URL
  }
}

const newLink = (
  of: Pick<PortalLinkEntity, 'applicationId' | 'email' | 'role'>,
  token: string,
  minutes: number,
): PortalLinkEntity => ({
  ...of,
  portalLinkId: newId('plk'),
  tokenHash: hash('sha256', token, 'buffer'),
  createdAt: new Date(),
  expiresAt: new Date(Date.now() + minutes * MINUTE),
  usedAt: null,
  revokedAt: null,
  sessionStartedAt: null,
  sessionLastSeenAt: null,
  sessionExpiresAt: null,
  sessionEndedAt: null,
})

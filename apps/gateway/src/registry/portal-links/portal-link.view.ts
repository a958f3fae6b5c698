import type { PortalLinkEntity } from './portal-link.entity.js'

/** The link as operators see it, without its secret. */
export const presentPortalLink = (link: PortalLinkEntity): object => ({
  portal_link_id: link.portalLinkId,
  email: link.email,
  role: link.role,
  created_at: link.createdAt,
  expires_at: link.expiresAt,
  used_at: link.usedAt,
  revoked_at: link.revokedAt,
  session: link.sessionStartedAt && {
    started_at: link.sessionStartedAt,
    last_seen_at: link.sessionLastSeenAt,
    expires_at: link.sessionExpiresAt,
    ended_at: link.sessionEndedAt,
  },
})

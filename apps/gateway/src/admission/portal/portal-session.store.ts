import { Inject, Injectable } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { announceChange } from '../../live/changes.service.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { type PortalSessionRow, sessionOf } from '../../live/live-portal-session.store.js'

/**
 * The locks make a concurrent suspension or revocation either come first or see this session. The application is locked
 * before the link, as a suspension does.
 */
const START = `
  WITH approved AS MATERIALIZED (
    SELECT application_id, limits FROM application
     WHERE application_id = (SELECT application_id FROM portal_link WHERE token_hash = $1) AND state = 'approved'
       FOR SHARE),
  usable AS (
    SELECT l.portal_link_id, l.application_id, l.email, l.role, approved.limits
      FROM portal_link l JOIN approved USING (application_id)
     WHERE l.token_hash = $1 AND l.used_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > now()
       FOR UPDATE OF l)
  UPDATE portal_link l
     SET used_at = now(), session_hash = $2, session_started_at = now(), session_last_seen_at = now(),
         session_expires_at = now() + make_interval(hours => $3)
    FROM usable WHERE l.portal_link_id = usable.portal_link_id
  RETURNING usable.*, l.session_started_at, l.session_expires_at`

/** Beginning and end of the portal's sessions. A link has at most one. */
@Injectable()
export class PortalSessionStore {
  constructor(
    private readonly database: Database,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'PORTAL_SESSION_HOURS'>,
  ) {}

  /**
   * Uses a link up and starts its session.
   * @returns null when the link is unknown, used, expired or revoked, or its application suspended
   */
  async start(tokenHash: Buffer, sessionHash: Buffer): Promise<LiveCredential | null> {
    const values = [tokenHash, sessionHash, this.config.PORTAL_SESSION_HOURS]
    const { rows } = await this.database.query<PortalSessionRow>({ text: START, values })
    return rows[0] ? sessionOf(rows[0]) : null
  }

  /** Ends the session of a link and announces it to every gateway. */
  async end(tx: Transaction, linkId: string): Promise<void> {
    await tx.query('UPDATE portal_link SET session_ended_at = now() WHERE portal_link_id = $1', [linkId])
    announceChange(tx, 'portal_link', linkId)
  }
}

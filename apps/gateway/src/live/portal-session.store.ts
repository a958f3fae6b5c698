import { portalScopes } from '@connectivity/contracts/portal'
import { defaultLimits, type RateLimits } from '@connectivity/contracts/rate-limits'
import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { announceChange } from './changes.service.js'
import type { LiveCredential, Person } from './live-credential.js'

/** Longest life of a session, seconds: fixed at sign-in, use does not prolong it. */
export const SESSION_SECONDS = 8 * 60 * 60

interface Row extends Person {
  portal_link_id: string
  application_id: string
  limits: Partial<RateLimits>
  session_started_at: Date
  session_expires_at: Date
}

const COLUMNS = 'l.portal_link_id, l.application_id, l.email, l.role, a.limits'

const FIND = `
  SELECT ${COLUMNS}, l.session_started_at, l.session_expires_at
    FROM portal_link l JOIN application a USING (application_id)
   WHERE l.session_hash = $1 AND l.session_ended_at IS NULL AND l.revoked_at IS NULL AND a.state = 'approved'
     AND l.session_expires_at > now()`

/** The locks make a concurrent suspension or revocation either come first or see this session. */
const START = `
  WITH usable AS (
    SELECT ${COLUMNS} FROM portal_link l JOIN application a USING (application_id)
     WHERE l.token_hash = $1 AND l.used_at IS NULL AND l.revoked_at IS NULL AND l.expires_at > now()
       AND a.state = 'approved'
       FOR UPDATE OF l FOR SHARE OF a)
  UPDATE portal_link l
     SET used_at = now(), session_hash = $2, session_started_at = now(), session_last_seen_at = now(),
         session_expires_at = now() + make_interval(secs => ${SESSION_SECONDS})
    FROM usable WHERE l.portal_link_id = usable.portal_link_id
  RETURNING usable.*, l.session_started_at, l.session_expires_at`

/** Sessions of the portal, by the hash of their cookie. A link has at most one. */
@Injectable()
export class PortalSessionStore {
  constructor(private readonly database: Database) {}

  /** The live session, as admission needs it. */
  async find(hash: Buffer): Promise<LiveCredential | null> {
    const { rows } = await this.database.query<Row>({ name: 'find-portal-session', text: FIND, values: [hash] })
    return rows[0] ? credentialOf(rows[0]) : null
  }

  /**
   * Uses a link up and starts its session.
   * @returns null when the link is unknown, used, expired or revoked, or its application suspended
   */
  async start(tokenHash: Buffer, sessionHash: Buffer): Promise<LiveCredential | null> {
    const { rows } = await this.database.query<Row>({ text: START, values: [tokenHash, sessionHash] })
    return rows[0] ? credentialOf(rows[0]) : null
  }

  /** Ends the session of a link, everywhere within a second. */
  async end(linkId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('UPDATE portal_link SET session_ended_at = now() WHERE portal_link_id = $1', [linkId])
      announceChange(tx, 'portal_link', linkId)
    })
  }
}

const credentialOf = (row: Row): LiveCredential => ({
  credentialId: row.portal_link_id,
  type: 'portal',
  keyId: row.portal_link_id,
  applicationId: row.application_id,
  connectionId: null,
  person: { email: row.email, role: row.role },
  ownConnectionOnly: false,
  scopes: portalScopes[row.role],
  limits: { ...defaultLimits, ...row.limits },
  createdAt: row.session_started_at,
  expiresAt: row.session_expires_at,
  secrets: [],
})

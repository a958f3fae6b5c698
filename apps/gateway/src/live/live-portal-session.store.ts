import { portalScopes } from '@connectivity/contracts/portal'
import { defaultLimits, type RateLimits } from '@connectivity/contracts/rate-limits'
import type { Queryable } from '@connectivity/database'
import type { LiveCredential, Person } from './live-credential.js'

/** A session with its link and application. */
export interface PortalSessionRow extends Person {
  portal_link_id: string
  application_id: string
  limits: Partial<RateLimits>
  session_started_at: Date
  session_expires_at: Date
}

const SELECT = {
  name: 'find-portal-session',
  text: `SELECT l.portal_link_id, l.application_id, l.email, l.role, a.limits, l.session_started_at, l.session_expires_at
           FROM portal_link l JOIN application a USING (application_id)
          WHERE l.session_hash = $1 AND l.session_ended_at IS NULL AND l.revoked_at IS NULL AND a.state = 'approved'
            AND l.session_expires_at > now()`,
}

/** The live session whose cookie has this hash. */
export async function findLivePortalSession(on: Queryable, hash: Buffer): Promise<LiveCredential | null> {
  const { rows } = await on.query<PortalSessionRow>({ ...SELECT, values: [hash] })
  return rows[0] ? sessionOf(rows[0]) : null
}

/** A session as admission needs it. */
export const sessionOf = (row: PortalSessionRow): LiveCredential => ({
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

import type { Transaction } from '@connectivity/database'

/** Deletes the tokens of an application: they stay invalid when it is resumed. */
export async function endTokens(tx: Transaction, applicationId: string): Promise<void> {
  await tx.query(
    `DELETE FROM access_token USING credential c JOIN connection n USING (connection_id)
      WHERE access_token.credential_id = c.credential_id AND n.application_id = $1`,
    [applicationId],
  )
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

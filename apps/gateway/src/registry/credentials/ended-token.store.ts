import { bulkColumn, bulkValue, type Transaction } from '@connectivity/database'

/** Deletes the tokens of an application: they stay invalid when it is resumed. */
export async function endTokens(tx: Transaction, applicationId: string): Promise<void> {
  await tx.query(
    `DELETE FROM access_token USING credential c JOIN connection n USING (connection_id)
      WHERE access_token.credential_id = c.credential_id AND n.application_id = $1`,
    [applicationId],
  )
}

/**
 * Deletes the tokens that were obtained with these secrets of a credential, and those without a recorded secret.
 * @param ended creation time of each secret; includes the oldest one unless it is empty
 */
export async function endTokensOfSecrets(tx: Transaction, credentialId: string, ended: readonly Date[]): Promise<void> {
  if (ended.length === 0) return
  await tx.query(
    `DELETE FROM access_token
      WHERE credential_id = $1 AND (secret_created_at = ANY (${bulkColumn(2, 'timestamptz')}) OR secret_created_at IS NULL)`,
    [credentialId, bulkValue(ended.map((at) => at.toISOString()))],
  )
}

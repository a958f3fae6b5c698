import { bulkColumn, bulkValue, type Transaction } from '@connectivity/database'

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

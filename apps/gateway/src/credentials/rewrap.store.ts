import type { Database } from '@connectivity/database/database'
import { answerContext } from '../operators/sealed-answer.js'
import { readSealedText, type SealedSecret, sealedText, type SecretVault } from './secret-vault.js'

const BATCH = 200

/** What a run did; `failures` name what does not open, without anything of its content. */
export interface RewrapReport {
  rewrapped: number
  failures: string[]
}

interface SecretRow {
  credential_id: string
  created_at: Date
  key_encryption_key_id: string
  wrapped_key: Buffer
  sealed_secret: Buffer
}

interface AnswerRow {
  ctid: string
  applicationId: string
  method: string
  path: string
  key: string
  body: string
}

/**
 * Wraps the data key of everything sealed under the current key-encryption key, row by row: it may be stopped and
 * started again at any time, beside running gateways, and touches nothing that is current already.
 */
export class RewrapStore {
  constructor(
    private readonly database: Pick<Database, 'reads'>,
    private readonly vault: SecretVault,
  ) {}

  async rewrapAll(): Promise<RewrapReport> {
    const report: RewrapReport = { rewrapped: 0, failures: [] }
    for await (const row of this.secrets()) {
      const { credential_id, created_at, wrapped_key } = row
      const sealed = {
        keyEncryptionKeyId: row.key_encryption_key_id,
        wrappedKey: wrapped_key,
        sealedSecret: row.sealed_secret,
      }
      await this.rewrap(report, `secret of ${credential_id}`, sealed, credential_id, (fresh) =>
        this.database.reads.query(
          `UPDATE credential_secret SET key_encryption_key_id = $4, wrapped_key = $5
            WHERE credential_id = $1 AND created_at = $2 AND wrapped_key = $3`,
          [credential_id, created_at, wrapped_key, fresh.keyEncryptionKeyId, fresh.wrappedKey],
        ),
      )
    }
    for (const row of await this.answers()) {
      await this.rewrap(report, `answer to ${row.path}`, readSealedText(row.body), answerContext(row), (fresh) =>
        this.database.reads.query('UPDATE idempotent_answer SET body = $3 WHERE ctid = $1 AND body = $2', [
          row.ctid,
          row.body,
          sealedText(fresh),
        ]),
      )
    }
    return report
  }

  private async rewrap(
    report: RewrapReport,
    name: string,
    sealed: SealedSecret,
    context: string,
    store: (fresh: SealedSecret) => Promise<unknown>,
  ): Promise<void> {
    let fresh: SealedSecret | null
    try {
      fresh = await this.vault.rewrap(sealed, context)
    } catch (error) {
      report.failures.push(`${name}: ${(error as Error).message}`)
      return
    }
    if (!fresh) return
    await store(fresh)
    report.rewrapped += 1
  }

  private async *secrets(): AsyncGenerator<SecretRow> {
    let last: [string, Date] = ['', new Date(0)]
    for (;;) {
      const { rows } = await this.database.reads.query<SecretRow>(
        `SELECT credential_id, created_at, key_encryption_key_id, wrapped_key, sealed_secret FROM credential_secret
          WHERE sealed_secret IS NOT NULL AND (credential_id, created_at) > ($1, $2)
          ORDER BY credential_id, created_at LIMIT ${BATCH}`,
        last,
      )
      yield* rows
      const end = rows.at(-1)
      if (!end) return
      last = [end.credential_id, end.created_at]
    }
  }

  /** Stored answers live for 72 hours only; those of operators are few. */
  private async answers(): Promise<AnswerRow[]> {
    const { rows } = await this.database.reads.query<AnswerRow>(
      `SELECT ctid::text, application_id AS "applicationId", method, path, idempotency_key AS key, body
         FROM idempotent_answer WHERE body LIKE 'sealed:%'`,
    )
    return rows
  }
}

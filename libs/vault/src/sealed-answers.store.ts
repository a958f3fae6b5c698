import type { Queryable } from '@connectivity/database'
import type { SealedRow } from './rewrap.js'
import { answerContext } from './sealed-answer.js'
import { readSealedText, sealedText } from './secret-vault.js'

interface AnswerRow {
  ctid: string
  applicationId: string
  method: string
  path: string
  key: string
  body: string
}

/** Reads all sealed answers at once: they are kept for only 72 hours and are few. */
export async function* sealedAnswers(database: Queryable): AsyncGenerator<SealedRow> {
  const { rows } = await database.query<AnswerRow>(
    `SELECT ctid::text, application_id AS "applicationId", method, path, idempotency_key AS key, body
       FROM idempotent_answer WHERE body LIKE 'sealed:%'`,
  )
  for (const row of rows) {
    const update = 'UPDATE idempotent_answer SET body = $3 WHERE ctid = $1 AND body = $2'
    yield {
      name: `answer to ${row.path}`,
      sealed: readSealedText(row.body),
      context: answerContext(row),
      store: (fresh) => database.query(update, [row.ctid, row.body, sealedText(fresh)]),
    }
  }
}

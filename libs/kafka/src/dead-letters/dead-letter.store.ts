import { Injectable } from '@nestjs/common'
import type { DeadLetterState } from '@connectivity/contracts/dead-letters'
import { bulkColumn, bulkValue, Database, type Queryable, queryRows, type Transaction } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { isId } from '@connectivity/service-kit/text'
import type { DeadLetterFilter } from './dead-letter-filter.js'
import { storableReason } from '../consuming/dead-letter-intake.store.js'
import { readableKey } from './readable-key.js'

/** A dead letter. */
export interface StoredDeadLetter {
  id: string
  topic: string
  partition: number
  offset: number
  key: Buffer | null
  reason: string
  state: DeadLetterState
  receivedAt: Date
  attempts: number
}

/** A dead letter with its bytes. */
export interface WholeStoredLetter extends StoredDeadLetter {
  value: Buffer
}

type Row = [
  id: string,
  topic: string,
  partition: number,
  offset: string,
  key: Buffer | null,
  reason: string,
  state: DeadLetterState,
  receivedAt: Date,
  attempts: number,
]

const COLUMNS = 'public_id, topic, partition, message_offset, key, reason, state, received_at, attempts'
/** Most keys in one answer. */
const MOST_KEYS = 10_000

/** A key as PostgreSQL writes bytea. */
const byteaOf = (key: string): string => `\\x${Buffer.from(key).toString('hex')}`

const letterOf = ([id, topic, partition, offset, key, reason, state, receivedAt, attempts]: Row): StoredDeadLetter => ({
  ...{ id, topic, partition, key, reason, state, receivedAt, attempts },
  offset: Number(offset),
})

/** This service's dead letters. */
@Injectable()
export class DeadLetterStore {
  constructor(private readonly database: Database) {}

  /** Newest first, one more than the page's limit. */
  async list(
    { state, topic }: DeadLetterFilter,
    { limit, after }: Pick<PageRequest, 'limit' | 'after'>,
  ): Promise<StoredDeadLetter[]> {
    const rows = await queryRows<Row>(this.database, {
      text: `SELECT ${COLUMNS} FROM dead_letter
              WHERE state = $1 AND ($2::text IS NULL OR topic = $2) AND ($3::text IS NULL OR public_id < $3)
              ORDER BY public_id DESC LIMIT $4`,
      values: [state, topic ?? null, after, limit + 1],
    })
    return rows.map(letterOf)
  }

  /** Reads a dead letter; null if the id is unknown. */
  find(id: string): Promise<WholeStoredLetter | null> {
    return this.read(this.database, id, '')
  }

  /** The letter, locked until the transaction ends. */
  lock(tx: Transaction, id: string): Promise<WholeStoredLetter | null> {
    return this.read(tx, id, 'FOR UPDATE')
  }

  private async read(on: Queryable, id: string, lock: '' | 'FOR UPDATE'): Promise<WholeStoredLetter | null> {
    if (!isId(id)) return null
    const rows = await queryRows<[value: Buffer, ...Row]>(on, {
      text: `SELECT value, ${COLUMNS} FROM dead_letter WHERE public_id = $1 ${lock}`,
      values: [id],
    })
    if (!rows[0]) return null
    const [value, ...row] = rows[0]
    return { ...letterOf(row), value }
  }

  /** Writes the outcome of a locked dead letter. */
  async settle(tx: Transaction, { id, state, attempts, reason }: StoredDeadLetter): Promise<void> {
    await tx.query(
      `UPDATE dead_letter SET state = $2, attempts = $3, reason = $4, settled_at = CASE WHEN $2 <> 'open' THEN now() END
        WHERE public_id = $1`,
      [id, state, attempts, storableReason(reason)],
    )
  }

  /** Number of open dead letters by key; keys without any are absent. */
  async openByKey(keys: readonly string[]): Promise<Map<string, number>> {
    const rows = await queryRows<[string, string]>(this.database, {
      text: `SELECT convert_from(key, 'UTF8'), count(*) FROM dead_letter
              WHERE state = 'open' AND key = ANY (${bulkColumn(1, 'bytea')}) GROUP BY key`,
      values: [bulkValue(keys.filter((key) => !key.includes('\0')).map(byteaOf))],
    })
    return new Map(rows.map(([key, open]) => [key, Number(open)]))
  }

  /** Number of open dead letters by key, for every key that has any and is text. */
  async openKeys(): Promise<Map<string, number>> {
    const rows = await queryRows<[Buffer, string]>(this.database, {
      text: `SELECT key, count(*) FROM dead_letter WHERE state = 'open' AND key IS NOT NULL GROUP BY key LIMIT ${MOST_KEYS}`,
    })
    return new Map(rows.map(([key, open]) => [readableKey(key)!, Number(open)]))
  }

  /** Number of open dead letters by topic. */
  async openByTopic(): Promise<Map<string, number>> {
    const rows = await queryRows<[string, string]>(this.database, {
      text: `SELECT topic, count(*) FROM dead_letter WHERE state = 'open' GROUP BY topic`,
    })
    return new Map(rows.map(([topic, open]) => [topic, Number(open)]))
  }
}

import { Inject, Injectable } from '@nestjs/common'
import type { DeadLetter, DeadLetterState, WholeDeadLetter } from '@connectivity/contracts/dead-letters'
import { bulkColumn, bulkValue } from '@connectivity/database/bulk'
import { Database } from '@connectivity/database/database'
import type { Queryable, Transaction } from '@connectivity/database/transaction'
import { queryRows } from '@connectivity/database/query-rows'
import type { PageRequest } from '@connectivity/service-kit/operators-page'
import { isId } from '@connectivity/service-kit/ids'
import type { DeadLetterFilter } from './dead-letter-filter.js'
import { storableReason } from './dead-letter-intake.store.js'
import { KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'

/** A dead letter that is locked until the transaction ends. */
export interface LockedDeadLetter {
  letter: DeadLetter
  /** The bytes behind the letter's `key`. */
  key: Buffer | null
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
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A key as PostgreSQL writes bytea. */
const byteaOf = (key: string): string => `\\x${Buffer.from(key).toString('hex')}`

function readable(key: Buffer | null): string | null {
  if (key === null) return null
  try {
    return utf8.decode(key)
  } catch {
    return `base64:${key.toString('base64')}`
  }
}

const toDeadLetter = (
  service: string,
  [id, topic, partition, offset, key, reason, state, at, attempts]: Row,
): DeadLetter => ({
  id,
  service: service as DeadLetter['service'],
  topic,
  partition,
  offset: Number(offset),
  key: readable(key),
  reason,
  state,
  received_at: at.toISOString(),
  attempts,
})

/** This service's dead letters. */
@Injectable()
export class DeadLetterStore {
  constructor(
    private readonly database: Database,
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
  ) {}

  /** Newest first, one more than the page's limit. */
  async list({ state, topic }: DeadLetterFilter, { limit, after }: PageRequest): Promise<DeadLetter[]> {
    const rows = await queryRows<Row>(this.database, {
      text: `SELECT ${COLUMNS} FROM dead_letter
              WHERE state = $1 AND ($2::text IS NULL OR topic = $2) AND ($3::text IS NULL OR public_id < $3)
              ORDER BY public_id DESC LIMIT $4`,
      values: [state, topic ?? null, after, limit + 1],
    })
    return rows.map((row) => toDeadLetter(this.options.service, row))
  }

  async find(id: string): Promise<WholeDeadLetter | null> {
    const found = await this.read(this.database, id, '')
    return found && { ...found.letter, value_base64: found.value.toString('base64') }
  }

  lock(tx: Transaction, id: string): Promise<LockedDeadLetter | null> {
    return this.read(tx, id, 'FOR UPDATE')
  }

  private async read(on: Queryable, id: string, lock: '' | 'FOR UPDATE'): Promise<LockedDeadLetter | null> {
    if (!isId(id)) return null
    const rows = await queryRows<[value: Buffer, rawKey: Buffer | null, ...Row]>(on, {
      text: `SELECT value, key, ${COLUMNS} FROM dead_letter WHERE public_id = $1 ${lock}`,
      values: [id],
    })
    if (!rows[0]) return null
    const [value, key, ...row] = rows[0]
    return { letter: toDeadLetter(this.options.service, row), key, value }
  }

  /** Writes the outcome of a locked dead letter. */
  async settle(tx: Transaction, { id, state, attempts, reason }: DeadLetter): Promise<void> {
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

  /** The same of every key that has any, as far as keys are texts. */
  async openKeys(): Promise<Map<string, number>> {
    const rows = await queryRows<[Buffer, string]>(this.database, {
      text: `SELECT key, count(*) FROM dead_letter WHERE state = 'open' AND key IS NOT NULL GROUP BY key LIMIT ${MOST_KEYS}`,
    })
    return new Map(rows.map(([key, open]) => [readable(key)!, Number(open)]))
  }

  /** Number of open dead letters by topic. */
  async openByTopic(): Promise<Map<string, number>> {
    const rows = await queryRows<[string, string]>(this.database, {
      text: `SELECT topic, count(*) FROM dead_letter WHERE state = 'open' GROUP BY topic`,
    })
    return new Map(rows.map(([topic, open]) => [topic, Number(open)]))
  }
}

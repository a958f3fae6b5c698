import { Injectable } from '@nestjs/common'
import type { OperatorChangeEntry } from '@connectivity/contracts/operator-changes'
import { Database, type Transaction } from '@connectivity/database/database'
import type { PageRequest } from '@connectivity/service-kit/operators-page'
import { And, type EntityManager, type FindOptionsWhere, LessThan, LessThanOrEqual, MoreThanOrEqual } from 'typeorm'
import type { AuditContext } from '../changes/audit-context.js'
import { newId } from '../../new-id.js'
import { inOperatorTransaction, type OperatorTransaction } from '../changes/operator-transaction.store.js'
import { AuditEntryEntity } from './audit-entry.entity.js'

/** Effect of a change on its subject, as the interface shows it, without secrets; `before` is null for a creation. */
interface Effect<T> {
  result: T
  subject: string
  before: object | null
  after: object
}

/** A call that changed nothing leaves no entry. */
interface NoEffect<T> {
  result: T
  subject: null
}

/** Changes rows through `entities`; `tx` is the same transaction, for the outbox and notifications. */
export type Change<T> = (entities: EntityManager, tx: Transaction) => Promise<Effect<T> | NoEffect<T>>

/** Filter for entries; the times are inclusive. */
export interface AuditFilter {
  subject?: string
  actor?: string
  from?: Date
  to?: Date
}

/** Runs operators' changes and records them: every change has its entry. */
@Injectable()
export class AuditStore {
  constructor(private readonly database: Database) {}

  /** Runs a change and writes its audit entry in the same transaction: the request's open one, if any. */
  change<T>(context: AuditContext, work: Change<T>): Promise<T> {
    const run = async ({ entities, tx }: OperatorTransaction): Promise<T> => {
      const effect = await work(entities, tx)
      if (effect.subject !== null) await entities.insert(AuditEntryEntity, entryOf(context, effect))
      return effect.result
    }
    return context.within ? run(context.within) : inOperatorTransaction(this.database, run)
  }

  /** Stores entries of changes made in other services; an existing entry stays unchanged. */
  async keep(tx: Transaction, entries: readonly OperatorChangeEntry[]): Promise<void> {
    if (entries.length === 0) return
    await tx.query({
      name: 'audit-keep',
      text: `INSERT INTO audit_entry (id, at, actor, action, subject, reason, before, after, correlation_id)
             SELECT * FROM json_to_recordset($1) AS made (id text, at timestamptz, actor text, action text,
                      subject text, reason text, before jsonb, after jsonb, correlation_id text)
             ON CONFLICT (id) DO NOTHING`,
      values: [JSON.stringify(entries)],
    })
  }

  async has(id: string): Promise<boolean> {
    const query = { name: 'audit-has', text: 'SELECT FROM audit_entry WHERE id = $1', values: [id] }
    return (await this.database.reads.query(query)).rowCount === 1
  }

  /** Newest first, one entry more than the page's limit. */
  async list({ subject, actor, from, to }: AuditFilter, { limit, after }: PageRequest): Promise<AuditEntryEntity[]> {
    const times = [from && MoreThanOrEqual(from), to && LessThanOrEqual(to)].filter((bound) => bound !== undefined)
    const where: FindOptionsWhere<AuditEntryEntity> = {
      ...(subject === undefined ? {} : { subject }),
      ...(actor === undefined ? {} : { actor }),
      ...(times.length === 0 ? {} : { at: And(...times) }),
      ...(after === null ? {} : { id: LessThan(after) }),
    }
    const entries = (await this.database.dataSource()).getRepository(AuditEntryEntity)
    return entries.find({ where, order: { id: 'DESC' }, take: limit + 1 })
  }
}

const entryOf = (
  { actor, action, reason, correlationId }: AuditContext,
  { subject, before, after }: Effect<unknown>,
) => ({
  id: newId('aud'),
  at: new Date(),
  actor,
  action,
  subject,
  reason,
  before,
  after,
  correlationId,
})

import { Injectable } from '@nestjs/common'
import type { AuditEntry } from '@connectivity/contracts/operator-changes'
import { bulkRows, bulkText, bulkValue, Database, textOf, type Transaction } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { And, type FindOptionsWhere, LessThan, LessThanOrEqual, MoreThanOrEqual } from 'typeorm'
import { AuditEntryEntity } from './audit-entry.entity.js'

/** Filter for entries; the times are inclusive. */
export interface AuditFilter {
  subject?: string
  actor?: string
  from?: Date
  to?: Date
}

/** The audit: operators' changes in every service. */
@Injectable()
export class AuditStore {
  constructor(private readonly database: Database) {}

  /** Stores entries with the transaction's next statement; existing entries stay unchanged. */
  keep(tx: Transaction, entries: readonly AuditEntry[]): void {
    if (entries.length > 0) tx.defer(insertion(entries))
  }

  /** Stores an entry at once; an existing one stays unchanged. */
  async keepNow(entry: AuditEntry): Promise<void> {
    await this.database.query(insertion([entry]))
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
    const entities = await this.database.entities()
    return entities.find(AuditEntryEntity, { where, order: { id: 'DESC' }, take: limit + 1 })
  }
}

const insertion = (entries: readonly AuditEntry[]) => ({
  name: 'audit-keep',
  text: `INSERT INTO audit_entry (id, at, actor, action, subject, reason, before, after, correlation_id)
         SELECT id, at, ${textOf('actor')}, action, ${textOf('subject')}, ${textOf('reason')}, before, after,
                ${textOf('correlation_id')}
           FROM ${bulkRows(['text', 'timestamptz', 'json', 'text', 'json', 'json', 'jsonb', 'jsonb', 'json'])}
                AS made (id, at, actor, action, subject, reason, before, after, correlation_id)
         ON CONFLICT (id) DO NOTHING`,
  values: [
    bulkValue(entries.map(({ id }) => id)),
    bulkValue(entries.map(({ at }) => at)),
    bulkText(entries.map(({ actor }) => actor)),
    bulkValue(entries.map(({ action }) => action)),
    bulkText(entries.map(({ subject }) => subject)),
    bulkText(entries.map(({ reason }) => reason)),
    bulkValue(entries.map(({ before }) => before && JSON.stringify(before))),
    bulkValue(entries.map(({ after }) => after && JSON.stringify(after))),
    bulkText(entries.map((entry) => entry.correlation_id)),
  ],
})

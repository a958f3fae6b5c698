import { Inject, Injectable } from '@nestjs/common'
import { bulkColumn, bulkRows, bulkValue, Database, maintainPartitions, queryRows } from '@connectivity/database'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import type { LogEntry } from './logged-request.js'

/** Columns with their SQL types and values. */
const columns: Record<string, [type: string, value: (entry: LogEntry) => string | number | boolean | null]> = {
  at: ['bigint', ({ at }) => at],
  correlation_id: ['text', ({ correlationId }) => correlationId],
  application_id: ['text', ({ applicationId }) => applicationId],
  key_id: ['text', ({ keyId }) => keyId],
  connection_id: ['text', ({ connectionId }) => connectionId],
  method: ['text', ({ method }) => method],
  path: ['text', ({ path }) => path],
  auth_method: ['text', ({ authMethod }) => authMethod],
  authenticated: ['boolean', ({ authenticated }) => authenticated],
  status: ['smallint', ({ status }) => status],
  code: ['text', ({ code }) => code],
  duration_ms: ['double precision', ({ durationMs }) => durationMs],
  page_from: ['bigint', ({ page }) => page && page.from],
  page_to: ['bigint', ({ page }) => page && page.to],
  page_rows: ['integer', ({ page }) => page && page.rows],
  facts: ['text', ({ facts }) => facts],
  fold_key: ['text', ({ foldKey }) => foldKey],
  repeated: ['integer', ({ repeated }) => repeated],
}

const names = Object.keys(columns)
const types = Object.values(columns).map(([type]) => type)
const valuesOf = Object.values(columns).map(([, value]) => value)

const INSERT = `
  INSERT INTO logged_request AS known (day, ${names.join(', ')})
  SELECT (to_timestamp(at / 1000.0) AT TIME ZONE 'UTC')::date, to_timestamp(at / 1000.0), ${names.slice(1).join(', ')}
    FROM ${bulkRows(types)} AS made (${names.join(', ')})
      ON CONFLICT (day, fold_key) WHERE fold_key IS NOT NULL DO UPDATE SET repeated = known.repeated + excluded.repeated`

/** Entries to fold last, by their keys: gateways that fold the same entries lock these in one order. */
function inLockOrder(entries: readonly LogEntry[]): LogEntry[] {
  const keyOf = ({ foldKey }: LogEntry) => foldKey ?? ''
  return entries.toSorted((a, b) => {
    if (keyOf(a) === keyOf(b)) return 0
    return keyOf(a) < keyOf(b) ? -1 : 1
  })
}

/** Writes the request log. */
@Injectable()
export class RequestLogStore {
  constructor(
    private readonly database: Database,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'REQUEST_LOG_DAYS'>,
  ) {}

  /** Adds entries; folds each into the stored one with its fold key, if any. No two may have the same fold key. */
  async write(entries: readonly LogEntry[]): Promise<void> {
    const resolved = await this.resolve(entries)
    const ordered = inLockOrder(resolved)
    const values = valuesOf.map((value) => bulkValue(ordered.map(value)))
    await this.database.query({ name: 'log-requests', text: INSERT, values })
  }

  /** Adds the partitions of the next days and drops expired ones. @returns number of partitions dropped */
  maintain(): Promise<number> {
    return maintainPartitions(this.database, { table: 'logged_request', days: this.config.REQUEST_LOG_DAYS })
  }

  /** Looks up keys and connections of refused requests; clears those that do not exist or are another partner's. */
  private async resolve(entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
    const unchecked = entries.filter(({ isUnchecked }) => isUnchecked)
    if (unchecked.length === 0) return entries
    const keys = unchecked.flatMap(({ applicationId, keyId }) => (applicationId === null && keyId ? [keyId] : []))
    const named = unchecked.flatMap(({ connectionId }) => connectionId ?? [])
    const [byKey, byConnection] = await Promise.all([
      this.applicationsOf('credential JOIN connection USING (connection_id)', 'key_id', keys),
      this.applicationsOf('connection', 'connection_id', named),
    ])
    return entries.map((entry) => {
      if (!entry.isUnchecked) return entry
      const applicationId = entry.applicationId ?? byKey.get(entry.keyId ?? '') ?? null
      if (applicationId === null) return { ...entry, keyId: null, connectionId: null }
      const isOwn = byConnection.get(entry.connectionId ?? '') === applicationId
      return { ...entry, applicationId, connectionId: isOwn ? entry.connectionId : null }
    })
  }

  /** @returns application ids by the wanted values of the column */
  private async applicationsOf(
    source: string,
    column: string,
    wanted: readonly string[],
  ): Promise<Map<string, string>> {
    if (wanted.length === 0) return new Map()
    const rows = await queryRows<[string, string]>(this.database, {
      name: `log-applications-${column}`,
      text: `SELECT ${column}, application_id FROM ${source} WHERE ${column} = ANY (${bulkColumn(1, 'text')})`,
      values: [bulkValue([...new Set(wanted)])],
    })
    return new Map(rows)
  }
}

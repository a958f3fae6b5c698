// Samples memory and handles of every process, the lag of consumers, and the size of tables that hold only work in
// progress.
import { readdirSync } from 'node:fs'
import { residentBytes } from '@connectivity/toolkit/memory'
import { metricsOf, sumOfMetric } from '@connectivity/toolkit/metrics'
import { withClient } from '../../deploy/local/parts/databases.ts'
import type { Observed } from '../faults/stack/fault-stack.ts'
import type { Tolerance } from './growth.ts'

const MIB = 1024 ** 2

/**
 * Tolerated growth: a share, and at least an amount. A process keeps the memory once taken for a heap that fluctuates;
 * a leak shows at the heap's floor, just after a collection.
 */
const tolerances: Record<string, Tolerance> = {
  'memory, MiB': { share: 0.5, least: 100 },
  'heap, MiB': { share: 0.2, least: 15, byFloor: true },
  'external, MiB': { share: 0.2, least: 15, byFloor: true },
  'open files': { share: 0.1, least: 20 },
  handles: { share: 0.1, least: 20 },
  'lag, messages': { share: 0, least: 200 },
  'size, MiB': { share: 0.5, least: 8 },
  'dead rows': { share: 0.5, least: 20_000 },
}

/** The tolerance of the series with this name. */
export function toleranceOf(name: string): Tolerance {
  const found = Object.entries(tolerances).find(([kind]) => name.endsWith(kind))
  if (!found) throw new Error(`${name} has no tolerance: add its kind to tolerances`)
  return found[1]
}

/** Tables with passing rows, or with one row per connection: the others hold history, which grows. */
const PASSING = [
  'outbox',
  'lane',
  'callback',
  'feed_connection',
  'consumed_offset',
  'event_summary',
  'connection',
  'feed_progress',
  'digest_answer',
]

/** Values of one process or table, by kind. */
type Values = Record<string, number>

const ofProcess = (pid: number): Values => ({
  'memory, MiB': residentBytes(pid) / MIB,
  'open files': readdirSync(`/proc/${pid}/fd`).length,
})

async function ofService(port: number): Promise<Values> {
  const text = await metricsOf(`http://127.0.0.1:${port}`)
  return {
    'heap, MiB': sumOfMetric(text, 'nodejs_heap_size_used_bytes') / MIB,
    'external, MiB': sumOfMetric(text, 'nodejs_external_memory_bytes') / MIB,
    handles: sumOfMetric(text, 'nodejs_active_handles_total'),
    'lag, messages': sumOfMetric(text, 'connectivity_kafka_consumer_lag'),
  }
}

interface TableRow {
  relname: string
  bytes: number
  dead: number
}

/** Values of each table, by its name. */
const ofDatabase = (url: string): Promise<[table: string, values: Values][]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<TableRow>(
      `SELECT relname, pg_total_relation_size(relid)::float8 AS bytes, n_dead_tup::float8 AS dead
         FROM pg_stat_user_tables WHERE relname = ANY ($1)`,
      [PASSING],
    )
    return rows.map(({ relname, bytes, dead }) => [relname, { 'size, MiB': bytes / MIB, 'dead rows': dead }])
  })

/** Name of a series, and its value. */
export type NamedValue = [name: string, value: number]

const named = (name: string, values: Values): NamedValue[] =>
  Object.entries(values).map(([kind, value]) => [`${name}: ${kind}`, value])

/** Takes one sample of everything. */
export async function takeSample({ processes, probes, databases }: Observed): Promise<NamedValue[]> {
  const own = Object.entries(processes).flatMap(([name, pid]) => named(name, ofProcess(pid)))
  const told = await Promise.all(Object.entries(probes).map(async ([name, port]) => named(name, await ofService(port))))
  const stored = await Promise.all(
    Object.entries(databases).map(async ([name, url]) =>
      (await ofDatabase(url)).flatMap(([table, values]) => named(`${name}.${table}`, values)),
    ),
  )
  return [...own, ...told.flat(), ...stored.flat()]
}

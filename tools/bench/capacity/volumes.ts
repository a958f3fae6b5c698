// Bytes: what a month moves, and what disks hold.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { Day } from './day.ts'
import { measured } from './measured.ts'

const TOPICS = join(import.meta.dirname, '../../../deploy/kubernetes/platform/kafka/topics.yaml')
const ROWS_OF_A_PAGE = 50
const DAYS_OF_A_MONTH = 30
const MS_OF_A_DAY = 86_400_000
const REPLICAS = 3
/** Assumed: a stored cell or one in a message, and what indexes, versions and free space add to a table's rows. */
const BYTES_OF_A_CELL = 60
const AROUND_A_ROW = 2.5
/** Assumed: cells that a property has, a year ahead for a hundred rooms and rate plans. */
const CELLS = 36_500

interface Topic {
  metadata: { name: string }
  spec: { config: { 'retention.ms'?: number } }
}

/** Days that a topic keeps its messages, as Strimzi's manifests declare it. */
function daysOf(topic: string): number {
  const all = parseAllDocuments(readFileSync(TOPICS, 'utf8')).map((document) => document.toJS() as Topic)
  return all.find(({ metadata }) => metadata.name === topic)!.spec.config['retention.ms']! / MS_OF_A_DAY
}

/** Bytes by what they are for. */
export interface Volumes {
  /** Sent to partners in a month. */
  traffic: number
  /** Disks of all brokers. */
  kafka: number
  /** Disks of one instance of each database. */
  postgres: number
}

/** Bytes of a number of connections. */
export function volumesOf(connections: number, day: Day): Volumes {
  const page = measured('gateway', 'page of 50', 'gateway + feed').also.bytes!
  const idle = measured('gateway', 'idle poll', 'gateway + feed').also.bytes!
  const row = page / ROWS_OF_A_PAGE
  const perDay = day.polls * idle + day.changes * row * (1 + day.callbacks)
  const kept = (topic: string, bytes: number): number => daysOf(topic) * bytes * REPLICAS
  const kafka =
    kept('booking.reservations.v1', day.changes * row) +
    kept('connectivity.reservation-events.v1', day.changes * row) +
    kept('connectivity.ari-updates.v1', day.ariCalls * day.cellsPerCall * BYTES_OF_A_CELL)
  const events = daysOf('connectivity.reservation-events.v1') * day.changes * day.callbacks * row
  const postgres = (day.rows * row + CELLS * BYTES_OF_A_CELL + events) * AROUND_A_ROW
  return {
    traffic: connections * perDay * DAYS_OF_A_MONTH,
    kafka: connections * kafka,
    postgres: connections * postgres,
  }
}

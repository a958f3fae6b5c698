// Bytes: traffic of a month, and content of disks.
import type { Day } from './day.ts'
import { topicOf } from '@connectivity/toolkit/manifest-settings'
import { measured } from './measured.ts'
import { page } from './model.ts'

const DAYS_OF_A_MONTH = 30
/** Assumed, because no benchmark measures it: a stored cell or one in a message, bytes. */
export const BYTES_OF_A_CELL = 60
/** Assumed: ratio of a table's size, with indexes, versions and free space, to its rows. */
export const AROUND_A_ROW = 2.5
/** Assumed: cells that a property has, a year ahead for a hundred rooms and rate plans. */
export const CELLS = 36_500

/** Bytes by purpose. */
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
  const { cost, rows } = page()
  const idle = measured('gateway', 'idle poll that asks the feed', 'gateway + feed').also.bytes!
  const row = cost.also.bytes! / rows
  const perDay = day.polls * idle + day.changes * row * (1 + day.callbacks)
  const kept = (topic: string, bytes: number): number => topicOf(topic).days! * bytes * topicOf(topic).replicas
  const kafka =
    kept('booking.reservations.v1', day.changes * row) +
    kept('connectivity.reservation-events.v1', day.changes * row) +
    kept('connectivity.ari-updates.v1', day.ariCalls * day.cellsPerCall * BYTES_OF_A_CELL)
  const events = topicOf('connectivity.reservation-events.v1').days! * day.changes * day.callbacks * row
  const postgres = (day.rows * row + CELLS * BYTES_OF_A_CELL + events) * AROUND_A_ROW
  return {
    traffic: connections * perDay * DAYS_OF_A_MONTH,
    kafka: connections * kafka,
    postgres: connections * postgres,
  }
}

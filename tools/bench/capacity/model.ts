// Resources that a number of connections needs: work of a day × measured cost of a unit of work.
import type { Day } from './day.ts'
import { type Cost, countIn, measured, sumOf } from './measured.ts'

/** Share of a machine's cores that is busy when all of its processes wait for each other; the benchmarks reach it. */
const BUSY = 0.8
/** Planned use of one instance's core: the autoscalers' target. */
export const PLANNED = 0.6
const DAY = 86_400

/** The parts whose CPU is summed. */
export const parts = ['gateway', 'reservation-feed', 'ari', 'event-dispatch', "feed's PostgreSQL", "ari's PostgreSQL", "dispatch's PostgreSQL", 'Kafka', 'Redis'] as const // prettier-ignore
export type Part = (typeof parts)[number]

/** A kind of work: how often at the peak, per second, and its cost in µs by part. */
export interface Work {
  name: string
  perSecond: number
  cpu: Partial<Record<Part, number>>
}

/** A page as the benchmark reads it, and the number of its rows. */
export function page(): { cost: Cost; rows: number } {
  const cost = measured('gateway', 'page of ', 'gateway + feed')
  return { cost, rows: countIn(cost.title, /^page of (\d+)/) }
}

/** Costs by kind of work, µs. */
function costs(): Record<'idle' | 'row' | 'change' | 'delivery' | 'ariCall' | 'cell' | 'digestRow', Work['cpu']> {
  const { cost: full, rows } = page()
  const idle = measured('gateway', 'idle poll that asks the feed', 'gateway + feed')
  const change = measured('feed-projection', '100000 booking events', 'feed')
  const delivery = measured('dispatch', '20000 events', '100 callback(s)')
  const call = measured('ari', 'calls of one cell, 64 clients', 'gateway + ARI')
  const large = measured('ari', '36500 cells in one call', 'POST /ari')
  const digest = measured('digest', 'the digest', '20,000 rows, digest')
  const perCell = (key: string): number => (large.cpu[key] ?? 0) / countIn(large.title, /^(\d+) cells/)
  const perRow = (key: string): number => ((full.cpu[key] ?? 0) - (idle.cpu[key] ?? 0)) / rows
  return {
    idle: { gateway: idle.cpu.gateway, 'reservation-feed': idle.cpu.feed, "feed's PostgreSQL": idle.cpu.PostgreSQL, Redis: idle.cpu.Redis },
    row: { gateway: perRow('gateway'), 'reservation-feed': perRow('feed'), "feed's PostgreSQL": perRow('PostgreSQL') },
    change: { 'reservation-feed': change.cpu.feed, "feed's PostgreSQL": change.cpu.PostgreSQL, Kafka: change.cpu.Kafka },
    delivery: { 'event-dispatch': delivery.cpu.dispatch, "dispatch's PostgreSQL": delivery.cpu.PostgreSQL, Kafka: delivery.cpu.Kafka },
    ariCall: { gateway: call.cpu.gateway, ari: call.cpu.ARI, "ari's PostgreSQL": call.cpu.PostgreSQL, Redis: call.cpu.Redis },
    cell: { ari: perCell('ARI'), "ari's PostgreSQL": perCell('PostgreSQL') },
    digestRow: { 'reservation-feed': digest.cpu.feed, "feed's PostgreSQL": digest.cpu.PostgreSQL },
  } // prettier-ignore
}

/** All work of a number of connections at the peak. */
export function workOf(connections: number, day: Day): Work[] {
  const at = (perDay: number, peak = day.peak): number => (connections * perDay * peak) / DAY
  const cost = costs()
  return [
    { name: 'polls', perSecond: at(day.polls, 1), cpu: cost.idle },
    { name: 'rows of pages', perSecond: at(day.changes), cpu: cost.row },
    { name: 'changes of bookings', perSecond: at(day.changes), cpu: cost.change },
    { name: 'deliveries', perSecond: at(day.changes * day.callbacks), cpu: cost.delivery },
    { name: 'ARI calls', perSecond: at(day.ariCalls), cpu: cost.ariCall },
    { name: 'ARI cells', perSecond: at(day.ariCalls * day.cellsPerCall), cpu: cost.cell },
    { name: 'rows of digests', perSecond: at(day.rows, 1), cpu: cost.digestRow },
  ]
}

/** Cores that each part needs. */
export function coresOfParts(work: readonly Work[]): Record<Part, number> {
  const cores = (part: Part): number =>
    work.reduce((sum, { perSecond, cpu }) => sum + perSecond * (cpu[part] ?? 0), 0) / 1e6
  return Object.fromEntries(parts.map((part) => [part, cores(part)])) as Record<Part, number>
}

/** Instances of a service: at least two, each with the planned use of its one core. */
export const instancesFor = (cores: number): number => Math.max(2, Math.ceil(cores / PLANNED))

/**
 * Throughput that the model predicts for a benchmark on its own machine, per second.
 * @param floor the same harness around a bare process; its throughput shows the cost of the harness
 */
export function predicted(cost: Cost, floor: Cost, rate: string, cores: number): number {
  const harness = (cores * 1e6) / floor.also[rate]! - sumOf(floor)
  return (BUSY * cores * 1e6) / (sumOf(cost) + Math.max(0, harness))
}

// Isolation: how far attackers may slow a healthy partner down and load the machine.
import type { Figures, Round } from '../isolation/figures.ts'

/** A healthy partner's slowest calls may take this much longer than undisturbed. */
const SLOWER = 2
/**
 * A p99 below this, ms, is noise: attackers, partner and services share the processors of one machine here. A write
 * also waits for the one call of a year in progress for its hotel.
 */
const NOISE = { feed: 250, events: 250, ari: 500 }
/** A callback may come this much later than undisturbed, ms. */
const LATER = 1_000

const MIB = 1024 * 1024
const calls = ['feed', 'events', 'ari'] as const

const slow = ({ name, undisturbed, attacked }: Round): string[] =>
  calls
    .map((call) => ({ call, before: undisturbed[call].p99, under: attacked[call].p99 }))
    .filter(({ call, before, under }) => under > Math.max(before * SLOWER, NOISE[call]))
    .map(({ call, before, under }) => `${name}: p99 of ${call} ${ms(under)}, undisturbed ${ms(before)}`)

const late = ({ name, undisturbed, attacked }: Round): string[] =>
  attacked.callbacks.longest > undisturbed.callbacks.longest + LATER
    ? [
        `${name}: a callback came after ${ms(attacked.callbacks.longest)}, undisturbed ${ms(undisturbed.callbacks.longest)}`,
      ]
    : []

const large = ({ name, memory }: Round): string[] =>
  memory
    .filter(({ bytes, limit }) => bytes > limit)
    .map(({ process, bytes, limit }) => `${name}: ${process} took ${mib(bytes)} of the ${mib(limit)} that it may have`)

const ms = (milliseconds: number): string => `${milliseconds.toFixed(0)} ms`
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`

/** A sentence for every harm that attackers did. */
export function checkIsolation({ isolation }: { isolation: Round[] }): { starved: string[] } {
  const of = (round: Round) => [
    ...slow(round),
    ...late(round),
    ...large(round),
    ...[...new Set(round.refused)].map((what) => `${round.name}: a call of the healthy partner failed: ${what}`),
    ...round.dead.map((what) => `${round.name}: ${what}`),
  ]
  return { starved: isolation.flatMap(of) }
}

const figuresOf = ({ feed, events, ari, callbacks }: Figures): string[] => [
  ...[feed, events, ari].map(({ p50, p99 }) => `${p50.toFixed(0)}/${p99.toFixed(0)}`),
  callbacks.longest.toFixed(0),
]

/**
 * Rows of the report: p50/p99 of the calls and the longest wait for a callback, undisturbed and attacked, ms; use of the
 * processors.
 */
export function isolationRows(rounds: readonly Round[]): string[][] {
  if (rounds.length === 0) return []
  const head = [
    'attack',
    'feed',
    'events',
    'ari',
    'callback',
    'feed',
    'events',
    'ari',
    'callback, ms',
    'processors',
    'most memory',
  ]
  const rows = rounds.map(({ name, undisturbed, attacked, memory, busy }) => {
    const [most] = memory.toSorted((a, b) => b.bytes / b.limit - a.bytes / a.limit)
    const used = `${(busy * 100).toFixed(0)} %`
    return [name, ...figuresOf(undisturbed), ...figuresOf(attacked), used, `${most!.process} ${mib(most!.bytes)}`]
  })
  return [head, ...rows]
}

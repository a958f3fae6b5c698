// Isolation: how far attackers may slow a healthy partner down and load the machine.
import type { Figures, Round } from '../history/figures.ts'

/** A healthy partner's slowest calls may take this much longer than undisturbed. */
const SLOWER = 2
/**
 * A p99 below this, ms, is noise. Consecutive undisturbed periods of 15 s have a p99 of 20 to 190 ms on a machine with
 * two processors that runs all services, their databases and the partners.
 */
const NOISE = 100
/** A callback may come this much later than undisturbed, ms. */
const LATER = 1_000

const MIB = 1024 * 1024
const calls = ['feed', 'events', 'ari'] as const
type Call = (typeof calls)[number]

/** The p99 of both undisturbed periods, the smaller first. */
const undisturbedOf = ({ undisturbed }: Round, call: Call): number[] =>
  undisturbed.map((figures) => figures[call].p99).toSorted((a, b) => a - b)

/** Whether a call can be judged: its two undisturbed p99 differ by less than attackers may slow it down. */
function isSteady(round: Round, call: Call): boolean {
  const [less, more] = undisturbedOf(round, call) as [number, number]
  return more <= Math.max(less * SLOWER, NOISE)
}

const slow = (round: Round): string[] =>
  calls
    .filter((call) => isSteady(round, call))
    .map((call) => ({ call, before: undisturbedOf(round, call)[1]!, under: round.attacked[call].p99 }))
    .filter(({ before, under }) => under > Math.max(before * SLOWER, NOISE))
    .map(({ call, before, under }) => `${round.name}: p99 of ${call} ${ms(under)}, undisturbed ${ms(before)}`)

/** Longest wait for a callback in both undisturbed periods, ms. */
const longestUndisturbed = ({ undisturbed }: Round): number =>
  Math.max(...undisturbed.map(({ callbacks }) => callbacks.longest))

const late = (round: Round): string[] => {
  const [longest, before] = [round.attacked.callbacks.longest, longestUndisturbed(round)]
  return longest > before + LATER
    ? [`${round.name}: a callback came after ${ms(longest)}, undisturbed ${ms(before)}`]
    : []
}

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

/** The undisturbed period with the greater p99 of the feed. */
const worse = ({ undisturbed: [one, other] }: Round): Figures => (one.feed.p99 > other.feed.p99 ? one : other)
const unsteady = (round: Round): string => calls.filter((call) => !isSteady(round, call)).join(' ') || '–'

const HEAD = [
  'attack',
  ...['feed', 'events', 'ari', 'callback'],
  ...['feed', 'events', 'ari', 'callback, ms'],
  ...['not judged', 'attackers', 'services', 'processors', 'most memory'],
]

/**
 * Rows of the report: p50/p99 of the calls and the longest wait for a callback, undisturbed and attacked, ms; the calls
 * whose undisturbed times differ too much; processors that attackers and services use; use of all processors.
 */
export function isolationRows(rounds: readonly Round[]): string[][] {
  if (rounds.length === 0) return []
  const rows = rounds.map((round) => {
    const { name, attacked, memory, busy, used } = round
    const [most] = memory.toSorted((a, b) => b.bytes / b.limit - a.bytes / a.limit)
    return [
      name,
      ...[...figuresOf(worse(round)), ...figuresOf(attacked), unsteady(round)],
      ...[used.attackers.toFixed(2), used.services.toFixed(2), `${(busy * 100).toFixed(0)} %`],
      `${most!.process} ${mib(most!.bytes)}`,
    ]
  })
  return [HEAD, ...rows]
}

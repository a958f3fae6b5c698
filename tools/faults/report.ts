// The findings of a run as text.
import { type Found, type Kind, KINDS } from './check/check.ts'
import { isolationRows } from './check/isolation.ts'
import type { History } from './history/history-types.ts'
import type { Recovery, Result } from './run.ts'

const SHOWN = 12

const words: Partial<Record<Kind, string>> = {
  partial: 'partially applied',
  failed: 'failed or refused',
  starved: 'starved',
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1)

function table(recoveries: Recovery[]): string {
  const rows = recoveries.map(({ name, lasted, polled, calledBack, all }) => [
    name,
    ...[lasted, polled, calledBack, all].map(seconds),
  ])
  return columns([['fault', 'lasted', 'polled', 'called back', 'recovered, s'], ...rows])
}

function columns(all: string[][]): string {
  const [head] = all
  if (!head) return ''
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (row: string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ')
  return all.map(line).join('\n')
}

function violations(found: Found): string[] {
  return KINDS.filter((kind) => found[kind].length > 0).flatMap((kind) => [
    `${words[kind] ?? kind}:`,
    ...found[kind].slice(0, SHOWN).map((what) => `  ${what}`),
    ...(found[kind].length > SHOWN ? [`  … and ${found[kind].length - SHOWN} more`] : []),
  ])
}

const amounts = ({ requests, source, pages, ari, events, deliveries, intrusions, failures }: History): string =>
  `${source.length} messages of bookings, ${pages.length} pages with changes, ${ari.length} answers to writes, ` +
  `${events.length} events, ${deliveries.length} callbacks, ${intrusions.length} intrusions; ` +
  `${requests} requests of partners, ${failures.length} tried again`

/** Counts of waiting requests that were judged, and of changes without a notification. */
function waiting({ waits, lostWakeUps }: History): string {
  const sum = (explained: boolean) =>
    lostWakeUps.filter(({ isExplained }) => isExplained === explained).reduce((all, { count }) => all + count, 0)
  const backstop = `${sum(false)} woken by the backstop alone, and ${sum(true)} in faults of the notifications`
  return `${waits.length} waits, ${lostWakeUps.length > 0 ? backstop : 'backstop not read'}`
}

/** The last line of a run. */
export const verdict = (found: Found, history: History): string =>
  `${KINDS.map((kind) => `${found[kind].length} ${words[kind] ?? kind}`).join(', ')}; ${waiting(history)} (seed ${history.seed})`

export const report = ({ found, recoveries, history }: Result): string =>
  [
    '',
    table(recoveries),
    '',
    columns(isolationRows(history.isolation)),
    '',
    amounts(history),
    '',
    ...violations(found),
    verdict(found, history),
    '',
  ].join('\n')

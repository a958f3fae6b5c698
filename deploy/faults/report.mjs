// The findings of a run as text.
import { KINDS } from './check/check.mjs'
import { isolationRows } from './check/isolation.ts'

const SHOWN = 12

const words = { partial: 'partially applied', failed: 'failed or refused', starved: 'starved' }

const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1)

function table(recoveries) {
  const rows = recoveries.map(({ name, lasted, polled, calledBack, all }) => [
    name,
    ...[lasted, polled, calledBack, all].map(seconds),
  ])
  return columns([['fault', 'lasted', 'polled', 'called back', 'recovered, s'], ...rows])
}

function columns(all) {
  if (all.length === 0) return ''
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)))
  const line = (row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ')
  return all.map(line).join('\n')
}

function violations(found) {
  return KINDS.filter((kind) => found[kind].length > 0).flatMap((kind) => [
    `${words[kind] ?? kind}:`,
    ...found[kind].slice(0, SHOWN).map((what) => `  ${what}`),
    ...(found[kind].length > SHOWN ? [`  … and ${found[kind].length - SHOWN} more`] : []),
  ])
}

const amounts = ({ source, pages, ari, events, deliveries, intrusions, failures }) =>
  `${source.length} messages of bookings, ${pages.length} pages with changes, ${ari.length} answers to writes, ` +
  `${events.length} events, ${deliveries.length} callbacks, ${intrusions.length} intrusions, ${failures.length} requests tried again`

/** The last line of a run. */
export const verdict = (found, seed) =>
  `${KINDS.map((kind) => `${found[kind].length} ${words[kind] ?? kind}`).join(', ')} (seed ${seed})`

export const report = ({ found, recoveries, history }) =>
  [
    '',
    table(recoveries),
    '',
    columns(isolationRows(history.isolation)),
    '',
    amounts(history),
    '',
    ...violations(found),
    verdict(found, history.seed),
    '',
  ].join('\n')

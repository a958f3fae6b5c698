// The tables of docs/operations/capacity.md.
import { checks } from './checks.ts'
import { type Day, day, sizes } from './day.ts'
import { inOrder } from './limits.ts'
import { coresOfParts, instancesFor, type Part, parts, PLANNED, workOf } from './model.ts'
import { volumesOf } from './volumes.ts'

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

const round = (value: number): string => Number(value.toPrecision(2)).toLocaleString('en')

/** Bytes to two digits. */
export function bytes(value: number): string {
  const power = Math.min(Math.floor(Math.log10(value) / 3), UNITS.length - 1)
  return `${round(value / 1000 ** power)} ${UNITS[power]}`
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')

const heads = sizes.map((size) => size.toLocaleString('en'))
const services: readonly Part[] = ['gateway', 'reservation-feed', 'ari', 'event-dispatch']

function dayTable(assumed: Day): string {
  const rows: [string, string][] = [
    ['changes of bookings', `${assumed.changes} a day`],
    ['polls', `${assumed.polls.toLocaleString('en')} a day, one a minute`],
    ['ARI calls', `${assumed.ariCalls} a day, ${assumed.cellsPerCall} cells each`],
    ['connections with a callback', `${assumed.callbacks * 100} %`],
    ['reservations in the feed', `${assumed.rows.toLocaleString('en')}, one digest of them a day`],
    ['busiest minutes', `${assumed.peak} × the mean, polls 1 ×`],
  ]
  return table(['of one connection', 'assumed'], rows)
}

function rateTable(): string {
  const work = sizes.map((size) => workOf(size, day))
  const names = work[0]!.map(({ name }) => name)
  const rows = names.map((name, at) => [name, ...work.map((one) => round(one[at]!.perSecond))])
  return table(['a second, in the busiest minutes', ...heads], rows)
}

function coreTable(): string {
  const all = sizes.map((size) => coresOfParts(workOf(size, day)))
  const cell = (part: Part, cores: number): string =>
    services.includes(part) ? `${round(cores)} → ${instancesFor(cores)} instances` : round(cores)
  return table(
    ['cores', ...heads],
    parts.map((part) => [part, ...all.map((one) => cell(part, one[part]))]),
  )
}

function fullTable(): string {
  const rows = inOrder(day).map(({ part, connections, because }) => [part, round(connections), because])
  return table(['is full', 'at connections', 'because'], rows)
}

function volumeTable(): string {
  const all = sizes.map((size) => volumesOf(size, day))
  return table(
    ['bytes', ...heads],
    [
      ['sent to partners in a month', ...all.map(({ traffic }) => bytes(traffic))],
      ['disks of Kafka, three copies', ...all.map(({ kafka }) => bytes(kafka))],
      ['disks of the databases, one copy', ...all.map(({ postgres }) => bytes(postgres))],
    ],
  )
}

function thresholdTable(): string {
  const [change, delivery] = ['changes of bookings', 'deliveries'].map(
    (name) => workOf(1, day).find((work) => work.name === name)!.cpu,
  )
  const perSecond = (cost: number): number => (PLANNED * 1e6) / cost
  const row = (name: string, cost: number): string[] => [name, round(perSecond(cost)), round(2 * perSecond(cost))]
  return table(
    ['an instance', 'messages a second', 'of lag for two seconds of its work'],
    [row('reservation-feed', change!['reservation-feed']!), row('event-dispatch', delivery!['event-dispatch']!)],
  )
}

function checkTable(): string {
  const rows = checks().map(({ name, measured, predicted }) => [
    name,
    round(measured),
    round(predicted),
    `${predicted > measured ? '+' : ''}${Math.round((predicted / measured - 1) * 100)} %`,
  ])
  return table(['a second', 'measured', 'predicted', 'off by'], rows)
}

/** All tables, in the order of the page. */
export const tables = (): string =>
  [
    ['The day', dayTable(day)],
    ['What it asks for', rateTable()],
    ['What it needs', coreTable()],
    ['What is full first', fullTable()],
    ['Volumes', volumeTable()],
    ['Thresholds of lag', thresholdTable()],
    ['The model against the benchmarks', checkTable()],
  ]
    .map(([title, text]) => `### ${title}\n\n${text}\n`)
    .join('\n')

// The tables of docs/operations/capacity.md.
import { checks } from './checks.ts'
import { type Day, day, sizes } from './day.ts'
import { inOrder } from './limits.ts'
import { type Service, services, settingsOf } from '@connectivity/toolkit/manifest-settings'
import { FILLED, memoryFor, memoryFull, memoryOf, memoryOfWaiting } from './memory.ts'
import { coresOfParts, instancesFor, type Part, parts, PLANNED, workOf } from './model.ts'
import { raised, type Setting } from './raise.ts'
import { AROUND_A_ROW, BYTES_OF_A_CELL, CELLS, volumesOf } from './volumes.ts'

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
const isService = (part: Part): boolean => services.includes(part as Service)

function dayTable(assumed: Day): string {
  const rows: [string, string][] = [
    ['changes of bookings', `${assumed.changes} a day`],
    ['polls', `${assumed.polls.toLocaleString('en')} a day, one a minute`],
    ['ARI calls', `${assumed.ariCalls} a day, ${assumed.cellsPerCall} cells each`],
    ['connections with a callback', `${assumed.callbacks * 100} %`],
    ['connections with a waiting request', `${assumed.waiting * 100} %, at any moment`],
    ['reservations in the feed', `${assumed.rows.toLocaleString('en')}, one digest of them a day`],
    ['busiest minutes', `${assumed.peak} × the mean, polls 1 ×`],
    ['cells of a property', `${CELLS.toLocaleString('en')}, ${BYTES_OF_A_CELL} B each`],
    ['indexes, versions and free space', `${AROUND_A_ROW} × the rows`],
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
    isService(part) ? `${round(cores)} → ${instancesFor(cores)} instances` : round(cores)
  return table(
    ['cores', ...heads],
    parts.map((part) => [part, ...all.map((one) => cell(part, one[part]))]),
  )
}

const MIB = 2 ** 20
const mebibytes = (value: number): string => `${(value / MIB).toLocaleString('en')} MiB`

const reached = (connections: number): string => (connections < Infinity ? round(connections) : 'never')

function memoryTable(): string {
  const rows = services.map((service) => {
    const { connection } = memoryOf(service)
    const growth = connection === 0 ? 'nothing seen' : bytes(connection)
    return [service, growth, ...sizes.map((size) => bytes(memoryFor(service, size, day)))]
  })
  const ofWaiting = sizes.map(
    (size) => memoryFor('gateway', size, day) - memoryFor('gateway', size, { ...day, waiting: 0 }),
  )
  const waiting = ['gateway, of it waiting requests', `${bytes(memoryOfWaiting())} each`, ...ofWaiting.map(bytes)]
  return table(['each instance', 'for a connection', ...heads], [...rows, waiting])
}

function memoryLimitTable(): string {
  const rows = services.map((service) => {
    const { memory, heap } = settingsOf(service)
    const [full, from] = [memoryFull(service, day), memoryFull(service, day, FILLED)]
    return [
      service,
      mebibytes(memory),
      reached(full.limit),
      mebibytes(heap),
      reached(full.heap),
      reached(Math.min(from.limit, from.heap)),
    ]
  })
  return table(['each instance', 'limit', 'full at', 'heap', 'full at', 'to be raised from'], rows)
}

function fullTable(): string {
  const rows = inOrder(day).map(({ part, resource, connections, because }) => [
    part,
    resource,
    round(connections),
    because,
  ])
  return table(['is full', 'in', 'at connections', 'because'], rows)
}

const valueOf = ({ unit }: Setting, value: number): string =>
  unit === 'bytes' ? bytes(value) : `${value.toLocaleString('en')}${unit === 'MiB' ? ' MiB' : ''}`

function raiseTable(): string {
  const rows = raised(day, sizes).map((setting) => [
    setting.name,
    valueOf(setting, setting.today),
    ...sizes.map((size) => (setting.needs(size) > setting.today ? valueOf(setting, setting.needs(size)) : '–')),
  ])
  return table(['raise', 'from', ...heads], rows)
}

function volumeTable(): string {
  const all = sizes.map((size) => volumesOf(size, day))
  return table(
    ['bytes', ...heads],
    [
      ['sent to partners in a month', ...all.map(({ traffic }) => bytes(traffic))],
      ['disks of Kafka, all copies', ...all.map(({ kafka }) => bytes(kafka))],
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
    ['Memory', `${memoryTable()}\n\n${memoryLimitTable()}`],
    ['What is full first', fullTable()],
    ['What must be raised', raiseTable()],
    ['Volumes', volumeTable()],
    ['Thresholds of lag', thresholdTable()],
    ['The model against the benchmarks', checkTable()],
  ]
    .map(([title, text]) => `### ${title}\n\n${text}\n`)
    .join('\n')

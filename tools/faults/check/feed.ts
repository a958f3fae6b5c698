// The feed: compares the partner's store after the algorithm with the source, and checks the order of stamps.
import type { Connection, History, Place, Row, ServedPage } from '../history/history-types.ts'
import { type BookingState, expectedOf } from './bookings.ts'

const contentOf = ({ id, version, status, rooms, isProblem }: Row): string =>
  JSON.stringify([id, version, status, rooms, isProblem])

/** A partner that stores what the feed serves, and notes violations of the order. */
class Follower {
  /** Last row of each reservation. */
  readonly store = new Map<string, Row>()
  readonly wrong: string[] = []
  readonly #contentAt = new Map<string, string>()
  #last = ''

  take({ isFirst, rows }: ServedPage): void {
    if (isFirst) this.#last = ''
    for (const row of rows) this.#takeRow(row)
  }

  #takeRow(row: Row): void {
    const { id, updated_at } = row
    if (updated_at <= this.#last) this.wrong.push(`${id} at ${updated_at} comes after ${this.#last}`)
    this.#last = updated_at
    const content = contentOf(row)
    const known = this.#contentAt.get(updated_at) ?? content
    if (known !== content) this.wrong.push(`two contents at ${updated_at}: ${known} and ${content}`)
    this.#contentAt.set(updated_at, content)
    const before = this.store.get(id)
    if (before && updated_at < before.updated_at) this.wrong.push(`${id} went back to ${updated_at}`)
    this.store.set(id, row)
  }
}

/** The partner's store after all pages of a connection, and violations of the order on the way. */
function follow(pages: readonly ServedPage[], connection: string): Follower {
  const follower = new Follower()
  for (const page of pages) if (page.connection === connection) follower.take(page)
  return follower
}

/** External names of rooms, by their ids. */
type RoomNames = Record<string, string>

/** Describes the first difference of a row from the source; undefined when there is none. */
function differences(row: Row, expected: BookingState, roomNames: RoomNames): string | undefined {
  if (row.isProblem !== expected.isProblem)
    return `shown as ${row.isProblem ? 'a problem' : 'a reservation'}, unlike at the source`
  if (row.isProblem) return undefined
  if (row.version !== expected.version) return `version ${row.version}, the source has ${expected.version}`
  if (row.status !== expected.status) return `${row.status}, at the source ${expected.status}`
  const rooms = expected.rooms.map((room) => roomNames[room] ?? null)
  if (String(row.rooms) !== String(rooms)) return `rooms ${row.rooms}, mapped to ${rooms}`
  return undefined
}

/** The names that the last mapping gives rooms. */
const roomNamesOf = ({ mappings }: History, connection: string): RoomNames =>
  mappings.filter((mapping) => mapping.connection === connection).at(-1)?.rooms ?? {}

/** The last row of each reservation that a connection's partner has seen. */
export const storeOf = ({ pages }: History, connection: string): ReadonlyMap<string, Row> =>
  follow(pages, connection).store

function checkConnection(history: History, { connection, property }: Connection, bookings: readonly BookingState[]) {
  const { store, wrong } = follow(history.pages, connection)
  const lost: string[] = []
  const stale: string[] = []
  const expected = new Map(bookings.filter((one) => one.property === property).map((one) => [one.id, one]))
  const roomNames = roomNamesOf(history, connection)
  for (const [id, booking] of expected) {
    const row = store.get(id)
    const difference = row && differences(row, booking, roomNames)
    if (!row) lost.push(`${connection}: ${id} version ${booking.version} was never polled`)
    else if (difference) stale.push(`${connection}: ${id} is ${difference}`)
  }
  for (const id of store.keys()) if (!expected.has(id)) stale.push(`${connection}: ${id} was never confirmed`)
  return { lost, stale, disordered: wrong.map((what) => `${connection}: ${what}`) }
}

function checkPoison(deadLetters: readonly Place[], poison: readonly string[]): string[] {
  const apart = new Set(deadLetters.map(({ partition, offset }) => `${partition}/${offset}`))
  return [
    ...poison.filter((place) => !apart.has(place)).map((place) => `the unreadable message ${place} was not set aside`),
    ...[...apart].filter((place) => !poison.includes(place)).map((place) => `the good message ${place} was set aside`),
  ]
}

export function checkFeed(history: History) {
  const { bookings, poison } = expectedOf(history.source)
  const found = history.connections.map((connection) => checkConnection(history, connection, bookings))
  return {
    lost: [...found.flatMap(({ lost }) => lost), ...checkPoison(history.deadLetters, poison)],
    stale: found.flatMap(({ stale }) => stale),
    disordered: found.flatMap(({ disordered }) => disordered),
  }
}

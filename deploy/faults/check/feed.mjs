// The feed: compares the partner's store after the algorithm with the source, and checks the order of stamps.
import { expectedOf } from './bookings.mjs'

const contentOf = ({ id, version, status, rooms, isProblem }) => JSON.stringify([id, version, status, rooms, isProblem])

/** The partner's store after all pages of a connection, and violations of the order on the way. */
function follow(pages) {
  const store = new Map()
  const contentAt = new Map()
  const wrong = []
  let last = ''
  for (const { isFirst, rows } of pages) {
    if (isFirst) last = ''
    for (const row of rows) {
      if (row.updated_at <= last) wrong.push(`${row.id} at ${row.updated_at} comes after ${last}`)
      last = row.updated_at
      const known = contentAt.get(row.updated_at) ?? contentOf(row)
      if (known !== contentOf(row)) wrong.push(`two contents at ${row.updated_at}: ${known} and ${contentOf(row)}`)
      contentAt.set(row.updated_at, contentOf(row))
      if (row.updated_at < store.get(row.id)?.updated_at) wrong.push(`${row.id} went back to ${row.updated_at}`)
      store.set(row.id, row)
    }
  }
  return { store, wrong }
}

function differences(row, expected, roomNames) {
  if (row.isProblem !== expected.isProblem)
    return `${row.isProblem ? 'a problem' : 'no problem'} any more at the source`
  if (row.isProblem) return undefined
  if (row.version !== expected.version) return `version ${row.version}, the source has ${expected.version}`
  if (row.status !== expected.status) return `${row.status}, at the source ${expected.status}`
  const rooms = expected.rooms.map((room) => roomNames[room] ?? null)
  if (String(row.rooms) !== String(rooms)) return `rooms ${row.rooms}, mapped to ${rooms}`
  return undefined
}

/** The names that the last mapping gives rooms. */
const roomNamesOf = ({ mappings }, connection) =>
  mappings.filter((mapping) => mapping.connection === connection).at(-1)?.rooms ?? {}

/** The last row of each reservation that a connection's partner has seen. */
export const storeOf = ({ pages }, connection) => follow(pages.filter((page) => page.connection === connection)).store

function checkConnection(history, { connection, property }, bookings) {
  const { store, wrong } = follow(history.pages.filter((page) => page.connection === connection))
  const lost = []
  const stale = []
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

function checkPoison({ deadLetters }, poison) {
  const apart = new Set(deadLetters.map(({ partition, offset }) => `${partition}/${offset}`))
  return [
    ...poison.filter((place) => !apart.has(place)).map((place) => `the unreadable message ${place} was not set aside`),
    ...[...apart].filter((place) => !poison.includes(place)).map((place) => `the good message ${place} was set aside`),
  ]
}

/** @param {import('../history/history.mjs').History} history */
export function checkFeed(history) {
  const { bookings, poison } = expectedOf(history.source)
  const found = history.connections.map((connection) => checkConnection(history, connection, bookings))
  return {
    lost: [...found.flatMap(({ lost }) => lost), ...checkPoison(history, poison)],
    stale: found.flatMap(({ stale }) => stale),
    disordered: found.flatMap(({ disordered }) => disordered),
  }
}

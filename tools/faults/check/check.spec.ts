import type { History, Wait } from '../history/history-types.ts'
import { UNKNOWN_ROOM } from '../users/property.ts'
import { check, isClean, type Kind, KINDS } from './check.ts'
import { goodHistory } from './good-history.ts'
import { isolationRows } from './isolation.ts'

/** Kinds of violations that the checker finds in a history spoiled in one way. */
function kindsOf(spoil: (history: History) => unknown): Kind[] {
  const history = goodHistory()
  spoil(history)
  const found = check(history)
  return KINDS.filter((kind) => found[kind].length > 0)
}

/** Edits the booking in a source message. */
function change(history: History, at: number, edit: (booking: Record<string, unknown>) => void): void {
  const message = history.source[at]!
  const event = JSON.parse(message.text) as { data: Record<string, unknown> }
  edit(event.data)
  message.text = JSON.stringify(event)
}

const last = <T>(list: readonly T[]): T => list.at(-1)!

describe('the checker', () => {
  it('finds nothing in a history without violations', () => {
    expect(isClean(check(goodHistory()))).toBe(true)
  })

  it('gives the same result for the same history', () => {
    expect(check(goodHistory())).toEqual(check(goodHistory()))
  })
})

describe('the feed', () => {
  it.each<[string, string[], (history: History) => unknown]>([
    ['a booking that was never polled', ['lost'], (h) => h.pages.forEach(({ rows }) => void removeOf(rows, 'R2'))],
    ['an unreadable message that is gone', ['lost'], (h) => (h.deadLetters = [])],
    ['a good message set aside', ['lost'], (h) => h.deadLetters.push({ partition: 0, offset: '0' })],
    ['an older version in the end', ['stale'], (h) => change(h, 3, (booking) => (booking.version = 3))],
    ['a cancellation not seen', ['stale'], (h) => change(h, 3, (booking) => (booking.status = 'cancelled'))],
    ['a mapping not followed', ['stale'], (h) => (h.mappings[0]!.rooms.rm_0 = 'B')],
    ['a booking that was never confirmed', ['stale'], (h) => change(h, 1, (booking) => (booking.status = 'pending'))],
    ['a problem shown as a reservation', ['stale'], (h) => change(h, 1, (b) => (lineOf(b).room_id = UNKNOWN_ROOM))],
    ['a reservation shown as a problem', ['stale'], (h) => (last(last(h.pages).rows).isProblem = true)],
    ['a digest of other rows', ['stale'], (h) => (h.digests[0]!.digest = '0'.repeat(64))],
    ['a digest of more rows', ['stale'], (h) => (h.digests[0]!.rows += 1)],
    ['a row that its partner has lost', ['stale'], (h) => h.pages[0]!.rows.pop()],
    ['a row that only the partner has', ['stale'], (h) => (h.digests[1]!.moved = [])],
    ['a change that woke no request', ['stale'], (h) => (h.waits[0]!.at += 5_500)],
    ['an event that woke no request', ['stale'], (h) => (h.waits[2]!.at += 5_500)],
    ['a wait that ended without an existing change', ['stale'], (h) => h.waits.push(laterThan(h.waits[1]!))],
    ['a wait that did not end', ['stale'], (h) => (h.waits[1]!.at += 5_500)],
    ['a wait that did not end after a fault', ['stale'], (h) => (h.waits[4]!.at += 9_500)],
    ['a lost wake-up, whose change only the last look found', ['stale'], (h) => (h.lostWakeUps[0]!.count = 1)],
    ['rows of a pull out of order', ['disordered'], (h) => h.pages[0]!.rows.reverse()],
    ['one stamp for two contents', ['disordered'], (h) => (h.pages[1]!.rows[0]!.version = 1)],
    ['a page that goes on after the one before', ['disordered'], (h) => (h.pages[1]!.isFirst = false)],
  ])('notices %s', (_, kinds, spoil) => expect(kindsOf(spoil)).toEqual(expect.arrayContaining(kinds)))
})

describe('the events', () => {
  it.each<[string, string[], (history: History) => unknown]>([
    ['a change without event', ['lost'], (h) => (h.events = h.events.slice(0, 3))],
    ['an event never delivered', ['lost'], (h) => h.deliveries.pop()],
    ['an event whose delivery failed', ['lost'], (h) => (last(h.deliveries).isTaken = false)],
    ['an event that is not listed', ['lost'], (h) => h.index.pop()],
    ['an acknowledgement of an unknown event', ['lost'], (h) => (h.acknowledged[0]!.isKnown = false)],
    ['an acknowledgement that is gone', ['lost'], (h) => (h.index[0]!.isAcknowledged = false)],
    ['two events with one sequence', ['duplicated'], (h) => (h.events[2]!.event_id = 'evt_other')],
    ['two events of one change', ['duplicated'], (h) => h.events.push({ ...h.events[0]!, event_id: 'x', sequence: 4 })],
    ['sequences against the order of the feed', ['disordered'], (h) => (h.events[0]!.sequence = 9)],
    ['a reservation called back in the wrong order', ['disordered'], (h) => h.deliveries.reverse()],
    ['a callback that is not signed', ['unauthorised'], (h) => (h.deliveries[0]!.isVerified = false)],
    ['a callback without an event', ['unauthorised'], (h) => (h.deliveries[0]!.event_id = 'evt_9')],
  ])('notice %s', (_, kinds, spoil) => expect(kindsOf(spoil)).toEqual(expect.arrayContaining(kinds)))
})

describe('the inventory', () => {
  it.each<[string, string[], (history: History) => unknown]>([
    ['a write that is not on Kafka', ['lost'], (h) => h.updates.splice(1)],
    ['a write that cannot be read', ['lost'], (h) => (h.inventory[1]!.revision = 1)],
    ['an older write in the end', ['stale'], (h) => h.inventory[1]!.cells.forEach((cell) => (cell.amount = '1.01'))],
    ['a call applied twice', ['duplicated'], (h) => h.updates.push({ ...h.updates[0]!, revision: 3 })],
    ['a call answered with two revisions', ['duplicated'], (h) => (h.ari[2]!.revision = 3)],
    ['a gap between revisions', ['duplicated'], (h) => h.updates.forEach((one) => (one.revision *= 2))],
    ['revisions out of order', ['disordered'], (h) => h.updates.unshift({ ...h.updates[1]! })],
    ['a read of half a call', ['partial'], (h) => (h.inventory[0]!.cells[0]!.amount = '1.02')],
    ['half a call on Kafka', ['partial'], (h) => h.updates[0]!.cells.pop()],
    ['a faulty call that was applied', ['partial'], (h) => (h.ari[0]!.isGood = false)],
  ])('notices %s', (_, kinds, spoil) => expect(kindsOf(spoil)).toEqual(expect.arrayContaining(kinds)))
})

describe('admission', () => {
  it.each<[string, string[], (history: History) => unknown]>([
    ['a stranger let in', ['unauthorised'], (h) => (h.intrusions[0]!.status = 200)],
    ['a revoked credential that still works', ['unauthorised'], (h) => (h.intrusions[1]!.isInForce = true)],
    ['a good request refused', ['failed'], (h) => (h.failures[0]!.answer = '401 invalid_signature')],
    ['a fault that was not recovered from', ['failed'], (h) => h.unrecovered.push({ name: 'x', error: 'y' })],
    ['a request that failed when none may', ['failed'], (h) => (h.failures[0]!.at = 150)],
  ])('notices %s', (_, kinds, spoil) => expect(kindsOf(spoil)).toEqual(kinds))

  it('accepts that requests are limited', () => {
    expect(kindsOf((history) => (history.failures[0]!.answer = '429 rate_limited'))).toEqual([])
  })
})

describe('isolation', () => {
  it.each<[string, (round: History['isolation'][number]) => unknown]>([
    ['a feed that others slow down', ({ attacked }) => (attacked.feed.p99 = 241)],
    ['a write that others slow down', ({ attacked }) => (attacked.ari.p99 = 241)],
    ['a callback that comes late', ({ attacked }) => (attacked.callbacks.longest = 1_201)],
    ['a call of the healthy partner that fails', ({ refused }) => refused.push('feed: 503 service_unavailable')],
    ['a process above its memory limit', ({ memory }) => (memory[0]!.bytes = memory[0]!.limit + 1)],
    ['a process that does not answer its liveness probe', ({ dead }) => dead.push('gateway did not answer')],
  ])('notices %s', (_, spoil) => expect(kindsOf(({ isolation }) => spoil(isolation[0]!))).toEqual(['starved']))

  it('ignores slow calls as noise while they take less than 100 ms', () => {
    const spoil = ({ undisturbed, attacked }: History['isolation'][number]) => {
      for (const { feed } of undisturbed) feed.p99 = 20
      attacked.feed.p99 = 99
    }
    expect(kindsOf(({ isolation }) => spoil(isolation[0]!))).toEqual([])
  })

  it('skips and reports calls whose undisturbed times differ by more than an attack may slow them', () => {
    const spoil = ({ undisturbed, attacked }: History['isolation'][number]) => {
      undisturbed[1].feed.p99 = 221
      attacked.feed.p99 = 900
    }
    const history = goodHistory()
    spoil(history.isolation[0]!)
    expect(kindsOf(({ isolation }) => spoil(isolation[0]!))).toEqual([])
    const [head, row] = isolationRows(history.isolation)
    expect(row![head!.indexOf('not judged')]).toBe('feed')
  })
})

function removeOf(rows: { id: string }[], id: string): void {
  rows.splice(
    rows.findIndex((row) => row.id === id),
    1,
  )
}

/** The next wait of the same client, answered with a change from the begin of the one before. */
function laterThan({ from, at, ...same }: Wait): Wait {
  return { ...same, from: at, at: at + 10, first: new Date(from + 100).toISOString() }
}

function lineOf(booking: Record<string, unknown>): { room_id: string } {
  return (booking.accommodation as { room_id: string }[])[0]!
}

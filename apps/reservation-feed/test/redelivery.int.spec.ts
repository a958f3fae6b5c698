import { bookingLine } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { catalog } from '@connectivity/testing/catalog'
import { selectionOf } from '../src/redelivery/redelivery-selection.js'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
  await feed.takeCatalogs(catalog(), catalog({ connection_id: 'con_2' }))
})
afterEach(() => feed.end())

type Wish = Parameters<typeof selectionOf>[0]

const redeliver = async (wish: Wish, connectionId = 'con_1') => {
  const accepted = await feed.database.transaction((tx) => feed.redelivery.accept(tx, connectionId, selectionOf(wish)))
  await feed.redelivery.settle(accepted.redelivery_id)
  return accepted
}
/** All rows from a stamp on, in the order of a poller. */
const since = async (from: number, connectionId = 'con_1') => {
  const { reservations, errors } = await feed.page(connectionId, from)
  return [...reservations, ...errors].map(({ reservation_id }) => reservation_id)
}
const lastStamp = async (connectionId = 'con_1') => {
  const { rows } = await feed.database.query<{ last_stamp: string }>(
    'SELECT last_stamp FROM feed_connection WHERE connection_id = $1',
    [connectionId],
  )
  return Number(rows[0]!.last_stamp)
}
const ids = (...numbers: number[]) => numbers.map((number) => `RSV-${number}`)
const arriving = (number: number, check_in: string) => ({ reservation_id: `RSV-${number}`, check_in })

describe('redelivery', () => {
  beforeEach(() => feed.start())

  it('stamps each named reservation once, and raises modified without changes, for this connection only', async () => {
    await feed.book(ids(1, 2, 3, 4).map((reservation_id) => ({ reservation_id })))
    await feed.book([{ reservation_id: 'RSV-4', version: 2, status: 'cancelled' }])
    const before = await lastStamp()
    const bodies = (await feed.page('con_1')).reservations.map((one) => ({ ...one, updated_at: '' }))
    await feed.events()
    expect(await redeliver({ reservation_ids: ['RSV-4', 'RSV-2', 'RSV-2', 'unknown'] })).toEqual({
      redelivery_id: expect.stringMatching(/^rdl_/),
      reservations: 2,
    })
    expect(await since(before + 1)).toEqual(['RSV-2', 'RSV-4'])
    expect(await since(0, 'con_2')).toEqual(ids(1, 2, 3, 4))
    expect(await feed.events()).toMatchObject([
      { property_id: 'con_1', type: 'reservation.modified', sequence: 6, reservation_id: 'RSV-2' },
      {
        reservation_id: 'RSV-4',
        data: { previous_status: 'cancelled', changes: [], reservation: { status: 'cancelled' } },
      },
    ])
    const after = (await feed.page('con_1')).reservations.map((one) => ({ ...one, updated_at: '' }))
    expect(after).toEqual(expect.arrayContaining(bodies))
  })

  it('takes a range of arrival days, both inclusive, and either may be open', async () => {
    await feed.book([
      arriving(1, '2026-11-30'),
      arriving(2, '2026-12-01'),
      arriving(3, '2026-12-02'),
      arriving(4, '2026-12-03'),
    ])
    const picked = async (wish: Wish) => {
      const before = await lastStamp()
      const { reservations } = await redeliver(wish)
      const again = await since(before + 1)
      expect(again).toHaveLength(reservations)
      return again.toSorted()
    }
    expect(await picked({ check_in_from: '2026-12-01', check_in_to: '2026-12-02' })).toEqual(ids(2, 3))
    expect(await picked({ check_in_from: '2026-12-02' })).toEqual(ids(3, 4))
    expect(await picked({ check_in_to: '2026-11-30' })).toEqual(ids(1))
    expect(await picked({ check_in_from: '2027-01-01' })).toEqual([])
  })

  it('brings a problem row to its new place too, silently', async () => {
    await feed.book([{ reservation_id: 'RSV-1', accommodation: [] }, { reservation_id: 'RSV-2' }])
    await feed.events()
    const before = await lastStamp()
    expect(await redeliver({ reservation_ids: ['RSV-1'] })).toMatchObject({ reservations: 1 })
    expect(await since(before + 1)).toEqual(['RSV-1'])
    expect(await feed.events()).toEqual([])
    await feed.book([{ reservation_id: 'RSV-1', version: 2 }])
    expect(await feed.events()).toMatchObject([{ type: 'reservation.created' }, { property_id: 'con_2' }])
  })

  it('leaves a later version as it is, and a replay does not stamp it again', async () => {
    const history = [{}, { version: 2, guest_count: 5 }]
    await feed.book(history)
    await redeliver({ reservation_ids: ['RSV-1001'] })
    const [stamp] = [await lastStamp()]
    await feed.rewind()
    await feed.book(history)
    expect(await lastStamp()).toBe(stamp)
    expect((await feed.page('con_1')).reservations).toMatchObject([{ guest_count: 5 }])
  })

  it('leaves texts that look like a stamp unchanged', async () => {
    const trap = '","updated_at":"2026-01-01T00:00:00.000Z'
    await feed.book([
      { reservation_id: `RSV${trap}`, special_requests: trap, accommodation: [bookingLine({ room_type: trap })] },
    ])
    const [before] = (await feed.page('con_1')).reservations
    await redeliver({ reservation_ids: [`RSV${trap}`] })
    const [after] = (await feed.page('con_1')).reservations
    expect(after!.updated_at > before!.updated_at).toBe(true)
    expect({ ...after, updated_at: '' }).toEqual({ ...before, updated_at: '' })
  })

  it.each([
    ['con_unknown', 'not_found'],
    ['con_2', 'invalid_transition'],
  ])('of %s is refused: %s', async (connectionId, code) => {
    await feed.connect({ connection_id: 'con_2', state: 'closed', version: 2 })
    await expect(redeliver({ reservation_ids: ['x'] }, connectionId)).rejects.toMatchObject({ code })
  })

  it('is refused while the feed is being filled', async () => {
    await feed.book([{ property_id: 'prop_2' }])
    await feed.takeCatalogs(catalog({ connection_id: 'con_3', property_id: 'prop_2' }))
    await expect(redeliver({ reservation_ids: ['x'] }, 'con_3')).rejects.toMatchObject({ code: 'service_unavailable' })
  })
})

describe('redelivery of a large range', () => {
  const ROWS = 4_500
  const target = { connection_id: 'con_3', property_id: 'prop_3' }
  const live = (version: number) => ({
    property_id: 'prop_3',
    reservation_id: 'RSV-live',
    version,
    guest_count: version,
  })

  it('survives a restart, lets live changes in, keeps to the clock, and stamps as many rows as announced', async () => {
    const many = Array.from({ length: ROWS }, (_, index) => ({ property_id: 'prop_3', reservation_id: `RSV-${index}` }))
    await feed.book(many)
    await feed.takeCatalogs(catalog(target))
    feed.start()
    await eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
    await feed.stop()
    await feed.events()
    const before = await lastStamp('con_3')
    const accepted = await feed.database.transaction((tx) =>
      feed.redelivery.accept(tx, 'con_3', selectionOf({ check_in_from: '2026-01-01' })),
    )
    expect([accepted.reservations, await lastStamp('con_3')]).toEqual([ROWS, before])
    feed.start()
    let lead = 0
    for (let version = 1; await feed.redeliveryWaits(); version++) {
      await feed.book([live(version)])
      lead = Math.max(lead, await feed.connections.stampLead(feed.database, 'con_3'))
    }
    // The pause, one chunk, and the live changes during it.
    expect(lead).toBeLessThanOrEqual(2_000 + 200 + 100)
    const { rows } = await feed.database.query<{ again: number }>(
      `SELECT count(*)::integer AS again FROM feed_row WHERE connection_id = 'con_3' AND stamp > $1 AND reservation_id <> 'RSV-live'`,
      [before],
    )
    expect(rows[0]!.again).toBe(ROWS)
    const events = await feed.events()
    const modified = events.filter(({ reservation_id }) => reservation_id !== 'RSV-live')
    expect(new Set(modified.map(({ type, data }) => `${type} ${data.changes.length}`))).toEqual(
      new Set(['reservation.modified 0']),
    )
    expect(modified).toHaveLength(ROWS)
    const places = events.flatMap(({ reservation_id }, place) => (reservation_id === 'RSV-live' ? [place] : []))
    const gaps = places.map((place, index) => place - (places[index - 1] ?? 0))
    expect(gaps.filter((gap) => gap > 1).length).toBeGreaterThan(3)
  })
})

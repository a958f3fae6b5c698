import { bookingEvent, bookingLine } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { messages } from '@connectivity/testing/messages'
import { catalog, catalogRoom } from '@connectivity/testing/catalog'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
})
afterEach(() => feed.end())

const cancelled = { status: 'cancelled' as const }
const stamps = async (connectionId: string) => {
  const { reservations, errors } = await feed.page(connectionId)
  return [...reservations, ...errors].map(({ reservation_id, updated_at }) => `${reservation_id} ${updated_at}`).sort()
}

describe('a booking', () => {
  it('appears once confirmed, changes under its id, and stays when cancelled', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([{ status: 'pending' }])
    expect((await feed.page('con_1')).reservations).toEqual([])
    await feed.book([{ version: 2 }])
    await feed.book([{ version: 3, guest_count: 3 }])
    await feed.book([{ version: 4, guest_count: 3, ...cancelled }])
    expect((await feed.page('con_1')).reservations).toMatchObject([
      { reservation_id: 'RSV-1001', status: 'cancelled', cancelled: true },
    ])
    expect(await feed.events()).toMatchObject([
      { property_id: 'con_1', sequence: 1, type: 'reservation.created', data: { previous_status: null, changes: [] } },
      { sequence: 2, type: 'reservation.modified', data: { previous_status: 'confirmed', changes: ['guest_count'] } },
      {
        sequence: 3,
        type: 'reservation.cancelled',
        data: { previous_status: 'confirmed', changes: ['status', 'cancelled'] },
      },
    ])
  })

  it('appears cancelled, with one event without predecessor, when one batch confirms and cancels it', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([{}, { version: 2, ...cancelled }])
    expect((await feed.page('con_1')).reservations).toMatchObject([{ status: 'cancelled' }])
    expect(await feed.events()).toMatchObject([
      { type: 'reservation.cancelled', data: { previous_status: null, changes: [] } },
    ])
  })

  it('stays out when it was never confirmed, even if it changes or is cancelled', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([
      { version: 5, status: 'pending' },
      { version: 4 },
      { version: 6, ...cancelled },
      { version: 7, status: 'pending', accommodation: [] },
    ])
    expect(await stamps('con_1')).toEqual([])
  })

  it('is not stamped again by a version that changes nothing visible, nor by one that is not newer', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([{ version: 2 }])
    const before = await stamps('con_1')
    await feed.book([{ version: 3 }, { version: 3, guest_count: 9 }, { version: 1, guest_count: 8 }])
    expect(await stamps('con_1')).toEqual(before)
    expect(await feed.events()).toHaveLength(1)
  })

  it('goes to every connection of its property, each with its own ids, and to no other', async () => {
    await feed.takeCatalogs(
      catalog({ rooms: [catalogRoom('rm_double', 'DBL')] }),
      catalog({ connection_id: 'con_2', external_property_id: 'CM-1' }),
      catalog({ connection_id: 'con_3', property_id: 'prop_2' }),
    )
    await feed.book([{}])
    expect((await feed.page('con_1')).reservations).toMatchObject([
      { property_id: 'con_1', accommodation: [{ external_room_id: 'DBL' }] },
    ])
    expect((await feed.page('con_2')).reservations).toMatchObject([
      { external_property_id: 'CM-1', accommodation: [{ external_room_id: null }] },
    ])
    expect((await feed.page('con_3')).reservations).toEqual([])
  })

  it('passes the trace of its latest version on to its event at every connection', async () => {
    const traced = (digit: string): string => `00-${digit.repeat(32)}-00f067aa0ba902b7-01`
    const bookings = [{}, { version: 2, guest_count: 5 }, { version: 2 }, { reservation_id: 'RSV-2' }]
    const traces = [traced('1'), traced('2'), traced('3'), null]
    await feed.takeCatalogs(catalog(), catalog({ connection_id: 'con_2' }))
    await feed.consumeMessages(
      messages(bookings.map(bookingEvent)).map((message, index) => ({ ...message, traceparent: traces[index]! })),
    )
    const { rows } = await feed.database.query<{ key: string; headers: string | null }>(
      'SELECT key, headers FROM outbox ORDER BY key, id',
    )
    const expected = [JSON.stringify({ traceparent: traced('2') }), null]
    expect(rows.map(({ key, headers }) => [key, headers])).toEqual([
      ...expected.map((headers) => ['con_1', headers]),
      ...expected.map((headers) => ['con_2', headers]),
    ])
  })

  it('is a silent problem at its place while its room is unknown, and recovers when the room is known', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([{ accommodation: [bookingLine({ room_id: 'rm_new' })] }])
    expect(await feed.page('con_1')).toMatchObject({
      reservations: [],
      errors: [{ code: 'accommodation_unresolved', reservation_id: 'RSV-1001' }],
    })
    expect(await feed.events()).toEqual([])
    feed.start()
    await feed.takeCatalogs(
      catalog({ catalog_version: 2, rooms: [catalogRoom('rm_double'), catalogRoom('rm_new', 'NEW')] }),
    )
    await eventually(async () => expect((await feed.page('con_1')).errors).toEqual([]))
    expect(await feed.events()).toMatchObject([{ type: 'reservation.created', data: { previous_status: null } }])
  })

  it('moves to errors when it turns bad, and its recovery is a change against what was served last', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([{}])
    await feed.book([{ version: 2, accommodation: [] }])
    expect(await feed.page('con_1')).toMatchObject({ reservations: [], errors: [{ reservation_id: 'RSV-1001' }] })
    await feed.book([{ version: 3, guest_count: 1 }])
    expect((await feed.events()).map(({ type, data }) => [type, data.previous_status, data.changes])).toEqual([
      ['reservation.created', null, []],
      ['reservation.modified', 'confirmed', ['guest_count']],
    ])
  })

  it('never hides its cancellation behind faulty lines', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([{}])
    await feed.book([{ version: 2, accommodation: [] }])
    await feed.book([{ version: 3, accommodation: [], ...cancelled }])
    const { reservations, errors } = await feed.page('con_1')
    expect(errors).toEqual([])
    expect(reservations).toMatchObject([{ cancelled: true, accommodation: [{ quantity: 1 }] }])
  })
})

describe('a replay of the topic from its beginning', () => {
  it('changes no stamp and makes no event', async () => {
    await feed.takeCatalogs(catalog(), catalog({ connection_id: 'con_2' }))
    const history = Array.from({ length: 60 }, (_, index) => ({
      reservation_id: `RSV-${index % 20}`,
      version: 1 + Math.floor(index / 20),
      guest_count: index,
      accommodation: index % 7 === 0 ? [] : [bookingLine()],
    }))
    await feed.book(history)
    const before = [await stamps('con_1'), await stamps('con_2')]
    await feed.events()
    await feed.rewind()
    for (const one of history) await feed.book([one])
    expect([await stamps('con_1'), await stamps('con_2')]).toEqual(before)
    expect(await feed.events()).toEqual([])
  })
})

describe('a connection created after its bookings', () => {
  it('is filled in the order of the source, behind the clock, and follows live from then on', async () => {
    const many = Array.from({ length: 450 }, (_, index) => ({ reservation_id: `RSV-${(index * 7) % 450}` }))
    await feed.book(many)
    await feed.takeCatalogs(catalog())
    expect(await feed.connections.stale(feed.database, 1)).toMatchObject([{ state: 'filling' }])
    feed.start()
    await eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
    const clock = Date.now()
    const first = await feed.database.query<{ reservation_id: string; stamp: string }>(
      'SELECT reservation_id, stamp FROM feed_row ORDER BY stamp',
    )
    expect(first.rows.map(({ reservation_id }) => reservation_id)).toEqual(
      many.map(({ reservation_id }) => reservation_id),
    )
    expect(Number(first.rows.at(-1)!.stamp)).toBeLessThan(clock)
    await feed.book([{ reservation_id: 'RSV-new' }])
    expect((await feed.page('con_1', clock)).reservations).toMatchObject([{ reservation_id: 'RSV-new' }])
    expect(new Set((await feed.events()).map(({ type }) => type))).toEqual(new Set(['reservation.created']))
  })

  it('misses nothing that is written while it is being filled', async () => {
    await feed.book(Array.from({ length: 1000 }, (_, index) => ({ reservation_id: `RSV-${index}` })))
    feed.start()
    const writing = (async () => {
      for (let version = 2; version < 12; version++) {
        const given = Array.from({ length: 100 }, (_, index) => ({
          reservation_id: `RSV-${index * 11}`,
          version,
          guest_count: version,
        }))
        await feed.book(given)
      }
    })()
    await feed.takeCatalogs(catalog())
    await writing
    await eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
    const { rows } = await feed.database.query<{ late: number; total: number }>(
      `SELECT count(*)::integer AS total, count(*) FILTER (WHERE (r.body::jsonb ->> 'guest_count') <> (b.snapshot::jsonb ->> 'guest_count'))::integer AS late
         FROM booking b LEFT JOIN feed_row r USING (reservation_id)`,
    )
    expect(rows[0]).toEqual({ total: 1009, late: 0 })
  })
})

describe('concurrent writers of one connection', () => {
  it('give every change its own later stamp, in the order of their commits, and a poller loses none', async () => {
    await feed.takeCatalogs(catalog(), catalog({ connection_id: 'con_2' }))
    const seen = { con_1: new Map<string, number>(), con_2: new Map<string, number>() }
    let writing = true
    const poll = async (connectionId: 'con_1' | 'con_2') => {
      let last = 0
      for (let rest = 2; rest > 0; rest -= writing ? 0 : 1) {
        for (const { reservation_id, updated_at, guest_count } of (await feed.page(connectionId, last + 1))
          .reservations) {
          expect(Date.parse(updated_at)).toBeGreaterThan(last)
          last = Date.parse(updated_at)
          seen[connectionId].set(reservation_id, guest_count!)
        }
      }
    }
    // A producer with another partitioner sends one property's bookings over several partitions at once.
    const writer = async (partition: number) => {
      for (let version = 1; version <= 25; version++) {
        await feed.book(
          Array.from({ length: 5 }, (_, index) => ({
            reservation_id: `RSV-${partition}-${index}`,
            version,
            guest_count: version,
          })),
          partition,
        )
      }
    }
    const pollers = [poll('con_1'), poll('con_2'), poll('con_1')]
    await Promise.all([0, 1, 2, 3, 4, 5].map(writer))
    writing = false
    await Promise.all(pollers)
    for (const connection of Object.values(seen)) {
      expect(connection.size).toBe(30)
      expect([...connection.values()].filter((version) => version !== 25)).toEqual([])
    }
    const sequences = (await feed.events())
      .filter(({ property_id }) => property_id === 'con_1')
      .map(({ sequence }) => sequence)
    expect(sequences).toEqual(Array.from({ length: 750 }, (_, index) => index + 1))
  })
})

describe('catalogs of one property that differ for a while', () => {
  it('do not hide a cancellation from the connection that was served the booking', async () => {
    const rooms = [catalogRoom('rm_double'), catalogRoom('rm_new')]
    await feed.takeCatalogs(catalog({ rooms, catalog_version: 2 }), catalog({ connection_id: 'con_2' }))
    await feed.book([{ accommodation: [bookingLine({ room_id: 'rm_new' })] }])
    await feed.book([{ version: 2, accommodation: [], ...cancelled }])
    expect((await feed.page('con_1')).reservations).toMatchObject([{ cancelled: true }])
  })

  it('keep the highest version of a batch', async () => {
    const version = (catalog_version: number, external_property_id: string) =>
      catalog({ catalog_version, external_property_id })
    await feed.takeCatalogs(version(3, 'three'), version(2, 'two'))
    await feed.book([{}])
    expect((await feed.page('con_1')).reservations).toMatchObject([{ external_property_id: 'three' }])
  })
})

describe('a booking that arrives on two partitions at once', () => {
  it('is folded onto what the other has committed', async () => {
    await feed.takeCatalogs(catalog())
    const ids = Array.from({ length: 40 }, (_, index) => `RSV-${index}`)
    const persistently = async (given: Parameters<FeedInProcess['book']>[0], partition: number) => {
      while (
        !(await feed.book(given, partition).then(
          () => true,
          (error: Error) => error.name !== 'Overtaken',
        ))
      )
        continue
    }
    for (const reservation_id of ids) {
      await Promise.all([
        persistently([{ reservation_id }], 0),
        persistently([{ reservation_id, version: 2, ...cancelled }], 1),
      ])
    }
    const { rows } = await feed.database.query(
      `SELECT b.reservation_id FROM booking b LEFT JOIN feed_row r USING (reservation_id)
        WHERE b.confirmed AND coalesce(r.body::jsonb ->> 'status', '') <> b.snapshot::jsonb ->> 'status'`,
    )
    expect(rows).toEqual([])
  })
})

describe('refreshing', () => {
  it('of a connection that keeps failing neither spins nor holds up the others', async () => {
    await feed.book([{}, { property_id: 'prop_2' }])
    const broken = ['con_x', 'con_y', 'con_z'].map((connection_id) => catalog({ connection_id }))
    await feed.takeCatalogs(...broken, catalog({ connection_id: 'con_ok', property_id: 'prop_2' }))
    await feed.database.query(`UPDATE feed_connection SET catalog = 'broken' WHERE property_id = 'prop_1'`)
    feed.start()
    await eventually(async () => expect((await feed.page('con_ok')).reservations).toHaveLength(1))
  })
})

import { randomUUID } from 'node:crypto'
import type { Booking } from '@connectivity/contracts/booking-events'
import { bookingEvent } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { PollingPartner } from '@connectivity/testing/partner'
import { catalogRoom } from './feed-in-process.js'
import { type FeedProcess, feedProcess } from './feed-process.js'

const PROPERTIES = 10
const RESERVATIONS = 30
const VERSIONS = 10

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
}, 60_000)
afterAll(() => feed.end(), 30_000)

/** Ten properties with two connections each; the ids are new, because the topics are shared with other tests. */
function properties() {
  const run = randomUUID().slice(0, 8)
  return Array.from({ length: PROPERTIES }, (_, index) => ({
    propertyId: `prop_${run}_${index}`,
    connectionIds: [`con_${run}_${index}_a`, `con_${run}_${index}_b`],
  }))
}

type TestProperty = ReturnType<typeof properties>[number]

const changesOf = ({ propertyId }: TestProperty, version: number): Partial<Booking>[] =>
  Array.from({ length: RESERVATIONS }, (_, index) => ({
    property_id: propertyId,
    reservation_id: `${propertyId}-${index}`,
    version,
    guest_count: version,
    ...(version === VERSIONS && index % 5 === 0 ? { status: 'cancelled' as const } : {}),
  }))

const announce = (all: readonly TestProperty[]) =>
  feed.announce(
    ...all.flatMap(({ propertyId, connectionIds }) =>
      connectionIds.map((connectionId) => ({ connection_id: connectionId, property_id: propertyId })),
    ),
  )

/** Pollers of all connections, until `done` resolves and once more after it. */
async function pollDuring(all: readonly TestProperty[], done: Promise<unknown>): Promise<PollingPartner[]> {
  let writing = true
  void done.finally(() => (writing = false))
  const partners = all
    .flatMap(({ connectionIds }) => connectionIds)
    .map((id) => new PollingPartner(id, (query) => feed.page(id, query)))
  await Promise.all([
    done,
    ...partners.map(async (partner) => {
      while (writing) await partner.pull()
    }),
  ])
  return partners
}

async function expectComplete(partners: readonly PollingPartner[]): Promise<void> {
  for (const partner of partners) {
    await eventually(
      async () => {
        await partner.pull()
        expect([...partner.reservations.values()].filter(({ guest_count }) => guest_count === VERSIONS)).toHaveLength(
          RESERVATIONS,
        )
      },
      { deadline: 30_000 },
    )
    expect([...partner.reservations.values()].filter(({ cancelled }) => cancelled)).toHaveLength(RESERVATIONS / 5)
    expect(partner.violations).toEqual([])
  }
}

describe('3,000 changes under pollers that use nothing but the partner algorithm', () => {
  it.each([
    ['keyed by property', ({ property_id }: Partial<Booking>) => property_id!],
    [
      'keyed by reservation, so that one connection is written from several partitions at once',
      ({ reservation_id }: Partial<Booking>) => reservation_id!,
    ],
  ])(
    'lose nothing and repeat no stamp, %s',
    async (_name, key) => {
      const all = properties()
      await announce(all.slice(0, PROPERTIES / 2))
      const writing = (async () => {
        for (let version = 1; version <= VERSIONS; version++) {
          await feed.book(
            all.flatMap((property) => changesOf(property, version)),
            key,
          )
          if (version === VERSIONS / 2) await announce(all.slice(PROPERTIES / 2))
        }
      })()
      await expectComplete(await pollDuring(all, writing))
    },
    120_000,
  )
})

describe('a feed process that is killed again and again', () => {
  it('loses nothing, repeats no stamp, and skips no event', async () => {
    const all = properties()
    await announce(all)
    const writing = (async () => {
      for (let version = 1; version <= VERSIONS; version++) {
        await feed.book(all.flatMap((property) => changesOf(property, version)))
        if (version % 3 === 0) {
          await feed.service.kill()
          await feed.service.start()
        }
      }
    })()
    await expectComplete(await pollDuring(all, writing))
    await expectGaplessEvents(all)
  }, 120_000)
})

type SentMessage = { data: { sequence: number } }

async function expectGaplessEvents(all: readonly TestProperty[]): Promise<void> {
  const wanted = new Map(all.flatMap(({ connectionIds }) => connectionIds.map((id) => [id, [] as number[]])))
  const { rows } = await feed.sql.query<{ connection_id: string; last_sequence: string }>(
    'SELECT connection_id, last_sequence FROM feed_connection',
  )
  const last = new Map(rows.map(({ connection_id, last_sequence }) => [connection_id, Number(last_sequence)]))
  const consumer = feed.kafka.consumer({ groupId: `test-${randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topics: ['connectivity.reservation-events.v1'], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ message }) => {
      // Other tests write to this topic too, and not always JSON.
      const sequences = wanted.get(message.key?.toString() ?? '')
      if (sequences) sequences.push((JSON.parse(message.value!.toString()) as SentMessage).data.sequence)
    },
  })
  await eventually(
    () => {
      for (const [id, sequences] of wanted) expect(Math.max(...sequences)).toBe(last.get(id))
    },
    { deadline: 30_000 },
  )
  await consumer.disconnect()
  for (const [id, sequences] of wanted) {
    // A kill between acknowledgement and deletion publishes some again; the first time each stands in its place.
    expect([...new Set(sequences)]).toEqual(Array.from({ length: last.get(id)! }, (_, index) => index + 1))
  }
}

describe('a replay of the topic from offset 0', () => {
  it('changes no stamp', async () => {
    const stamps = async () =>
      (await feed.sql.query('SELECT connection_id, reservation_id, stamp FROM feed_row ORDER BY 1, 2')).rows
    const positions = async () =>
      (
        await feed.sql.query(
          `SELECT partition, next_offset FROM consumed_offset WHERE topic = 'booking.reservations.v1' ORDER BY 1`,
        )
      ).rows
    const [before, end] = [await stamps(), await positions()]
    expect(before.length).toBeGreaterThan(0)
    await feed.service.stop()
    await feed.sql.query('DELETE FROM consumed_offset')
    await feed.service.start()
    await eventually(async () => expect(await positions()).toEqual(end), { deadline: 20_000 })
    expect(await stamps()).toEqual(before)
  }, 60_000)
})

describe('messages that cannot be used', () => {
  it('become dead letters with their bytes and leave their neighbours undisturbed', async () => {
    const [{ propertyId, connectionIds }] = properties() as [TestProperty]
    await feed.announce({ connection_id: connectionIds[0]!, property_id: propertyId })
    const good = (id: string) => ({
      key: propertyId,
      value: bookingEvent({ property_id: propertyId, reservation_id: id }),
    })
    const event = JSON.parse(good('x').value) as { data: Record<string, unknown> }
    const bad = [
      'this is not JSON',
      JSON.stringify({ ...event, data: { ...event.data, reservation_id: undefined, property_id: undefined } }),
      JSON.stringify({ ...event, data: { ...event.data, version: '3' } }),
    ].map((value) => ({ key: propertyId, value }))
    await feed.publish('booking.reservations.v1', [good('A'), bad[0]!, good('B'), bad[1]!, bad[2]!, good('C')])
    await eventually(async () => {
      const { page } = await feed.page(connectionIds[0]!, `property_id=${connectionIds[0]}`)
      expect(page.reservations.map(({ reservation_id }) => reservation_id)).toEqual(['A', 'B', 'C'])
    })
    const letters = await feed.sql.query<{ value: Buffer; reason: string }>(
      `SELECT value, reason FROM dead_letter WHERE key = $1 ORDER BY id`,
      [Buffer.from(propertyId)],
    )
    expect(letters.rows.map(({ value, reason }) => [value.toString(), reason])).toEqual([
      [bad[0]!.value, 'message is not JSON in UTF-8'],
      [bad[1]!.value, '/data/reservation_id is required'],
      [bad[2]!.value, '/data/version must be an integer'],
    ])
    await eventually(async () => expect((await feed.sql.query('SELECT 1 FROM outbox')).rows).toEqual([]))
  }, 30_000)
})

describe('GET /reservations', () => {
  const ids = properties()[0]!
  const connectionId = ids.connectionIds[0]!
  const query = `property_id=${connectionId}`

  beforeAll(async () => {
    await feed.announce({
      connection_id: connectionId,
      property_id: ids.propertyId,
      rooms: [catalogRoom('rm_double', 'DBL')],
    })
    await feed.book(changesOf(ids, 1))
    await eventually(async () =>
      expect((await feed.page(connectionId, query)).page.reservations).toHaveLength(RESERVATIONS),
    )
  }, 30_000)

  it('pages by cursor, and a continuation may be nothing but property_id and cursor', async () => {
    const first = await feed.page(connectionId, `${query}&limit=20`)
    expect(first.page.pagination).toMatchObject({ limit: 20, count: 20, has_more: true })
    const second = await feed.page(connectionId, `${query}&cursor=${first.page.pagination.next_cursor}`)
    expect(second.page.pagination).toEqual({ limit: 50, count: 10, has_more: false, next_cursor: null })
    const all = [...first.page.reservations, ...second.page.reservations].map(({ updated_at }) => updated_at)
    expect(all).toEqual([...new Set(all)].sort())
  })

  it('takes updated_since inclusively, and a time after the last stamp gives an empty page with the last stamp as checkpoint', async () => {
    const { page } = await feed.page(connectionId, query)
    const last = page.reservations.at(-1)!.updated_at
    expect((await feed.page(connectionId, `${query}&updated_since=${last}`)).page.reservations).toHaveLength(1)
    const empty = await feed.get(connectionId, '/reservations', `${query}&updated_since=9999-01-01T00:00:00Z`)
    expect(empty.status).toBe(200)
    expect(empty.body).toMatchObject({ reservations: [], errors: [], pagination: { count: 0, has_more: false } })
    expect(empty.headers.get('service-checkpoint')).toBe(last)
  })

  it('answers 304 to its own tag until something changes', async () => {
    const { headers } = await feed.get(connectionId, '/reservations', query)
    const tag = headers.get('etag')!
    expect(tag).toMatch(/^W\/"/)
    expect(headers.get('service-checkpoint')).toMatch(/Z$/)
    const again = await feed.get(connectionId, '/reservations', query, { 'if-none-match': tag })
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, null, tag])
    await feed.book([{ property_id: ids.propertyId, reservation_id: 'another' }])
    await eventually(async () => {
      expect((await feed.get(connectionId, '/reservations', query, { 'if-none-match': tag })).status).toBe(200)
    })
  })

  it('shows one reservation alone', async () => {
    const reservationId = `${ids.propertyId}-0`
    const { status, body, headers } = await feed.get(connectionId, `/reservations/${reservationId}`, query)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      schema_version: '1.0.0',
      reservation: { reservation_id: reservationId, accommodation: [{ external_room_id: 'DBL' }] },
    })
    const path = `/reservations/${reservationId}`
    expect((await feed.get(connectionId, path, query, { 'if-none-match': headers.get('etag')! })).status).toBe(304)
    expect(await feed.get(connectionId, '/reservations/unknown', query)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    })
  })

  it('is empty at the epoch for a connection that the feed does not know yet', async () => {
    const { status, body, headers } = await feed.get('con_unknown', '/reservations', 'property_id=con_unknown')
    expect(status).toBe(200)
    expect(body).toMatchObject({ external_property_id: 'PMS-100', reservations: [] })
    expect(headers.get('service-checkpoint')).toBe('1970-01-01T00:00:00.000Z')
  })

  it.each([
    ['limit=0', 400, 'invalid_request'],
    ['updated_since=2026-11-20', 400, 'invalid_request'],
    ['cursor=corrupted', 400, 'invalid_cursor'],
  ])('refuses %s', async (parameter, status, code) => {
    const answer = await feed.get(connectionId, '/reservations', `${query}&${parameter}`)
    expect(answer).toMatchObject({
      status,
      body: { schema_version: '1.0.0', error: { code, message: expect.any(String) } },
    })
    expect((answer.body as { error: { correlation_id: string } }).error.correlation_id).toBe(
      answer.headers.get('x-correlation-id'),
    )
  })

  it('refuses a cursor of another connection, and another connection than the gateway let through', async () => {
    const { page } = await feed.page(connectionId, `${query}&limit=1`)
    const other = ids.connectionIds[1]!
    expect(
      (await feed.get(other, '/reservations', `property_id=${other}&cursor=${page.pagination.next_cursor}`)).body,
    ).toMatchObject({ error: { code: 'invalid_cursor' } })
    expect((await feed.get(other, '/reservations', query)).body).toMatchObject({
      error: { code: 'property_forbidden' },
    })
  })

  it('cannot be reached without the gateway', async () => {
    expect((await fetch(`${feed.service.url}/api/connectivity/v1/reservations?${query}`)).status).toBe(401)
  })
})

describe('the log of all that', () => {
  it('holds no guest, down to level debug', async () => {
    const guest = { first_name: 'Grace', last_name: 'Hopper', full_name: null, email: 'grace@example.com', phone: null }
    const [property] = properties()
    await announce([property!])
    const run = property!.propertyId
    await feed.book([
      { property_id: run, reservation_id: `${run}-good`, guest },
      { property_id: run, reservation_id: `${run}-poison`, guest, currency: 'grace@example.com' },
      { property_id: run, reservation_id: `${run}-bad`, guest, check_in: 'Hopper' },
    ])
    await eventually(async () => {
      const { page } = await feed.page(property!.connectionIds[0]!, `property_id=${property!.connectionIds[0]}`)
      expect(page).toMatchObject({ reservations: [{ guest }], errors: [{ reservation_id: `${run}-poison` }] })
    })
    await feed.service.stop()
    expect(feed.service.log).toMatch(/"level":20,[^]*dead letter/)
    expect(feed.service.log).not.toMatch(/Lovelace|ada@|Grace|Hopper|grace@/)
  })
})

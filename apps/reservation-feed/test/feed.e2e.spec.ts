import type { Booking } from '@connectivity/contracts/booking-events'
import { INTERNAL_PATH, RESERVATION_CHANGES_PATH } from '@connectivity/contracts/timeline'
import { NOTHING_NEW_HEADER } from '@connectivity/contracts/waiting'
import { bookingEvent, bookingLine, connectionEvent } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { catalogRoom } from '@connectivity/testing/catalog'
import { type FeedProcess, feedProcess } from './feed-process.js'
import {
  announce,
  changesOf,
  expectComplete,
  pollDuring,
  properties,
  PROPERTIES,
  RESERVATIONS,
  type TestProperty,
  VERSIONS,
} from './many-changes.js'

const EPOCH = '1970-01-01T00:00:00.000Z'
/** A connection that the feed does not know. */
const UNKNOWN = 'con_unknown'

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
})
afterAll(() => feed.end())

describe('3,000 changes under pollers that use only the partner algorithm', () => {
  it.each([
    ['keyed by property', ({ property_id }: Partial<Booking>) => property_id!],
    [
      'keyed by reservation, so that one connection is written from several partitions at once',
      ({ reservation_id }: Partial<Booking>) => reservation_id!,
    ],
  ])(
    'reach every poller without a repeated stamp, %s',
    async (_name, key) => {
      const all = properties()
      await announce(feed, all.slice(0, PROPERTIES / 2))
      const writing = (async () => {
        for (let version = 1; version <= VERSIONS; version++) {
          await feed.book(
            all.flatMap((property) => changesOf(property, version)),
            key,
          )
          if (version === VERSIONS / 2) await announce(feed, all.slice(PROPERTIES / 2))
        }
      })()
      await expectComplete(await pollDuring(feed, all, writing))
    },
    120_000,
  )
})

describe('a replay of the topic from offset 0', () => {
  /** Current position of the feed; other tests may move it meanwhile. */
  async function positions(): Promise<Map<number, bigint>> {
    const { rows } = await feed.sql.query<{ partition: number; next_offset: string }>(
      `SELECT partition, next_offset FROM consumed_offset WHERE topic = 'booking.reservations.v1'`,
    )
    return new Map(rows.map(({ partition, next_offset }) => [partition, BigInt(next_offset)]))
  }

  it('changes no stamp', async () => {
    const [property] = properties() as [TestProperty]
    const { connectionIds } = property
    const stamps = async () =>
      (
        await feed.sql.query(
          'SELECT connection_id, reservation_id, stamp FROM feed_row WHERE connection_id = ANY ($1) ORDER BY 1, 2',
          [connectionIds],
        )
      ).rows
    await announce(feed, [property])
    for (const version of [1, 2]) await feed.book(changesOf(property, version))
    await expectComplete(await pollDuring(feed, [property], Promise.resolve()), 2)
    const [before, end] = [await stamps(), await positions()]
    expect(before).toHaveLength(connectionIds.length * RESERVATIONS)
    await feed.service.stop()
    await feed.sql.query('DELETE FROM consumed_offset')
    await feed.service.start()
    await eventually(async () => {
      const reached = await positions()
      const short = [...end].filter(([partition, offset]) => (reached.get(partition) ?? 0n) < offset)
      expect(short).toEqual([])
    })
    expect(await stamps()).toEqual(before)
  })
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
      bookingEvent({ property_id: propertyId, accommodation: [bookingLine({ room_id: 'rm_double\0' })] }),
      bookingEvent({ property_id: propertyId, accommodation: [bookingLine({ rate_plan_id: 'rp_\ud83d' })] }),
    ].map((value) => ({ key: propertyId, value }))
    await feed.publish('booking.reservations.v1', [good('A'), bad[0]!, good('B'), ...bad.slice(1), good('C')])
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
      [bad[2]!.value, '/data/version must be an integer from -9007199254740991 to 9007199254740991'],
      [bad[3]!.value, '/data/accommodation/0/room_id must not contain NUL or lone surrogates'],
      [bad[4]!.value, '/data/accommodation/0/rate_plan_id must not contain NUL or lone surrogates'],
    ])
    await eventually(async () => expect((await feed.sql.query('SELECT 1 FROM outbox')).rows).toEqual([]))
  })
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
  })

  it('pages by cursor, and a continuation may consist of property_id and cursor only', async () => {
    const first = await feed.page(connectionId, `${query}&limit=20`)
    expect(first.page.pagination).toMatchObject({ limit: 20, count: 20, has_more: true })
    const second = await feed.page(connectionId, `${query}&cursor=${first.page.pagination.next_cursor}`)
    expect(second.page.pagination).toEqual({ limit: 50, count: 10, has_more: false, next_cursor: null })
    const all = [...first.page.reservations, ...second.page.reservations].map(({ updated_at }) => updated_at)
    expect(all).toEqual([...new Set(all)].sort())
  })

  it('begins a page after its cursor and at updated_since, whichever is later', async () => {
    const { page: whole } = await feed.page(connectionId, query)
    const { page: first } = await feed.page(connectionId, `${query}&limit=10`)
    const begin = async (index: number) => {
      const since = whole.reservations[index]!.updated_at
      const both = `${query}&cursor=${first.pagination.next_cursor}&updated_since=${since}&limit=1`
      return (await feed.page(connectionId, both)).page.reservations.map(({ reservation_id }) => reservation_id)
    }
    expect(await begin(20)).toEqual([whole.reservations[20]!.reservation_id])
    expect(await begin(5)).toEqual([whole.reservations[10]!.reservation_id])
  })

  it('takes updated_since inclusively; after the last stamp, the page is empty with that checkpoint', async () => {
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

  it('keeps its tag when a new catalog changes nothing that pages show, but not when the code of the property changes', async () => {
    const catalog = { connection_id: connectionId, property_id: ids.propertyId }
    const rooms = [catalogRoom('rm_double', 'DBL')]
    const announced = async (version: number, given: object) => {
      await feed.announce({ ...catalog, rooms, catalog_version: version, ...given })
      await eventually(async () => {
        const text = 'SELECT rendered_version::integer AS version FROM feed_connection WHERE connection_id = $1'
        expect((await feed.sql.query(text, [connectionId])).rows).toEqual([{ version }])
      })
    }
    const poll = async (tag: string) =>
      (await feed.get(connectionId, '/reservations', `${query}&limit=1`, { 'if-none-match': tag })).status
    const tag = (await feed.get(connectionId, '/reservations', `${query}&limit=1`)).headers.get('etag')!
    await announced(101, { rooms: [...rooms, catalogRoom('rm_new', 'NEW')] })
    expect(await poll(tag)).toBe(304)
    await announced(102, { external_property_id: 'PMS-OTHER' })
    expect(await poll(tag)).toBe(200)
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

  it('is 503 for a connection that the feed does not know yet, and leaves a request waiting', async () => {
    for (const since of ['', `&updated_since=${EPOCH}`, '&updated_since=2026-11-20T10:15:30Z']) {
      const { status, body, headers } = await feed.get(UNKNOWN, '/reservations', `property_id=${UNKNOWN}${since}`)
      expect({ status, body }).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } })
      expect([headers.get('retry-after'), headers.get(NOTHING_NEW_HEADER)]).toEqual(['2', '1'])
    }
  })

  it.each([
    '/reservations/RSV-1?',
    '/reservations/status?',
    `/reservations/digest?checkpoint=${EPOCH}`,
    `/reservations/digest/rows?checkpoint=${EPOCH}&bucket=0`,
    `${INTERNAL_PATH}${RESERVATION_CHANGES_PATH}?reservation_id=RSV-1`,
  ])('is 503 for a connection that the feed does not know yet, like %s', async (call) => {
    const [path, asked] = call.split('?') as [string, string]
    const { status, headers } = await feed.get(UNKNOWN, path, `property_id=${UNKNOWN}&${asked}`)
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
  })

  it('is 503 for a connection that the feed does not know yet, like a proof', async () => {
    const claim = { property_id: UNKNOWN, checkpoint: EPOCH, rows: 0, digest: '0'.repeat(64) }
    const { status, headers } = await feed.post(UNKNOWN, '/reservations/proofs', claim)
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
  })

  it('is empty at the epoch for a connection whose catalog has not arrived', async () => {
    const id = `con_${ids.propertyId}_early`
    const value = connectionEvent({ connection_id: id, property_id: ids.propertyId, external_property_id: 'PMS-100' })
    await feed.publish('connectivity.connections.v1', [{ key: id, value }])
    const { body, headers } = await eventually(async () => {
      const answer = await feed.get(id, '/reservations', `property_id=${id}`)
      expect(answer.status).toBe(200)
      return answer
    })
    expect(body).toMatchObject({ external_property_id: 'PMS-100', reservations: [] })
    expect(headers.get('service-checkpoint')).toBe(EPOCH)
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

  it('refuses a cursor of another connection, and a connection that the gateway did not let through', async () => {
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

describe('the log of these tests', () => {
  it('names no guest, down to level debug', async () => {
    const guest = { first_name: 'Grace', last_name: 'Hopper', full_name: null, email: 'grace@example.com', phone: null }
    const [property] = properties()
    await announce(feed, [property!])
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

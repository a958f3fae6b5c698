import { randomUUID } from 'node:crypto'
import type { Booking } from '@connectivity/contracts/booking-events'
import { bookingEvent, bookingLine } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { type FeedProcess, feedProcess } from './feed-process.js'

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
})
afterAll(() => feed.end())

const run = randomUUID().slice(0, 8)
const [connectionId, propertyId] = [`con_${run}`, `prop_${run}`]
const everything = async () => (await feed.page(connectionId, `property_id=${connectionId}`)).page.reservations

/** A booking's event at the current time. */
const current = (id: string, given: Partial<Booking> = {}) => {
  const text = bookingEvent({ property_id: propertyId, reservation_id: `${run}-${id}`, ...given })
  const event = JSON.parse(text) as object
  return { key: propertyId, value: JSON.stringify({ ...event, time: new Date().toISOString() }) }
}

beforeAll(async () => {
  await feed.announce({ connection_id: connectionId, property_id: propertyId })
  await eventually(async () => {
    const { rows } = await feed.sql.query('SELECT FROM feed_connection WHERE connection_id = $1', [connectionId])
    expect(rows).toHaveLength(1)
  })
  await feed.publish('booking.reservations.v1', [current('A'), current('B'), current('C')])
  await eventually(async () => expect(await everything()).toHaveLength(3))
})

describe('POST /ops/v1/connections/{id}/redeliver', () => {
  const path = `/ops/v1/connections/${connectionId}/redeliver`

  it('has stamped a small order by the time it answers, once for a key, and leaves one audit entry', async () => {
    const body = { reservation_ids: [`${run}-A`], reason: 'lost in migration' }
    const key = { 'idempotency-key': randomUUID() }
    const first = await feed.operate('POST', path, body, key)
    expect(first).toMatchObject({ status: 202, body: { schema_version: '1.0.0', reservations: 1 } })
    const order = (await everything()).map(({ reservation_id }) => reservation_id)
    expect(order).toEqual([`${run}-B`, `${run}-C`, `${run}-A`])
    const again = await feed.operate('POST', path, body, key)
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body])
    const last = (await everything()).at(-1)!.updated_at
    expect((await everything()).at(-1)!.updated_at).toBe(last)
    expect(first.entry).toMatchObject({ action: 'connection.redeliver', subject: connectionId })
    expect(again.entry).toBeNull()
  })

  it.each([
    [{ reason: 'neither' }, 400, 'invalid_request'],
    [{ reason: 'both', reservation_ids: ['x'], check_in_from: '2026-01-01' }, 400, 'invalid_request'],
    [{ reason: 'no day', check_in_from: '2026-02-30' }, 400, 'invalid_request'],
    [{ reservation_ids: ['x'] }, 400, 'invalid_request'],
    [{ reason: 'no reservation', reservation_ids: [] }, 400, 'invalid_request'],
  ])('refuses %j', async (body, status, code) => {
    expect(await feed.operate('POST', path, body)).toMatchObject({ status, body: { error: { code } } })
  })

  it.each(['con_unknown', '%00'])('refuses the unknown connection %s', async (id) => {
    const answer = await feed.operate('POST', `/ops/v1/connections/${id}/redeliver`, {
      reservation_ids: ['x'],
      reason: 'r',
    })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
  })

  it('is not available to partners', async () => {
    expect((await feed.get(connectionId, `/../../../ops/v1/connection-facts`, '')).status).toBe(401)
  })
})

describe('the problems of a feed', () => {
  const path = `/ops/v1/connections/${connectionId}/problems`
  const problemsOf = async (query: string) =>
    (await feed.operate('GET', `${path}?${query}`)).body as {
      problems: { reservation_id: string }[]
      pagination: { next_cursor: string | null }
    }
  const unresolved = async () => {
    const { body } = await feed.operate('GET', `/ops/v1/connection-facts?connection_ids=${connectionId}`)
    return (body as { facts: { unresolved: number }[] }).facts.map((one) => one.unresolved)
  }

  it('are empty at first', async () => {
    expect(await problemsOf('')).toMatchObject({ problems: [], pagination: { has_more: false } })
    expect(await unresolved()).toEqual([0])
    expect((await feed.operate('GET', '/ops/v1/connection-facts')).body).toMatchObject({ facts: [] })
    expect((await feed.operate('GET', '/ops/v1/connections/con_unknown/problems')).status).toBe(404)
  })

  it('are counted for at most 100 connections at once; texts that are not ids are left out', async () => {
    const facts = (ids: string) => feed.operate('GET', `/ops/v1/connection-facts?connection_ids=${ids}`)
    expect(await facts('%00,%1F')).toMatchObject({ status: 200, body: { facts: [] } })
    expect((await facts(Array(101).fill(connectionId).join(','))).status).toBe(400)
  })

  it('are listed newest first, a page at a time, and counted in the facts', async () => {
    const accommodation = [bookingLine({ room_id: 'rm_unknown' })]
    for (const id of ['RSV 1', 'RSV-2', 'RSV/3']) {
      await feed.publish('booking.reservations.v1', [current(id, { accommodation })])
    }
    await eventually(async () => expect(await unresolved()).toEqual([3]))
    const first = await problemsOf('limit=2')
    const second = await problemsOf(`limit=2&cursor=${first.pagination.next_cursor!}`)
    const listed = [...first.problems, ...second.problems].map(({ reservation_id }) => reservation_id)
    expect(listed).toEqual(['RSV/3', 'RSV-2', 'RSV 1'].map((id) => `${run}-${id}`))
    expect(second.pagination.next_cursor).toBeNull()
  })

  it('refuses a cursor of another list', async () => {
    const cursor = Buffer.from(connectionId).toString('base64url')
    expect(await feed.operate('GET', `${path}?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_cursor' } },
    })
  })
})

describe('the lag of a feed', () => {
  it('is that of its last live change, counted from the time at the booking engine', async () => {
    const path = `/ops/v1/connection-facts?connection_ids=${connectionId},con_unknown`
    const { status, body } = await feed.operate('GET', path)
    expect(status).toBe(200)
    const { facts } = body as { facts: { connection_id: string; lag_ms: number }[] }
    expect(facts).toMatchObject([{ connection_id: connectionId, lag_ms: expect.any(Number), waiting: 6 }])
    expect(facts[0]!.lag_ms).toBeGreaterThanOrEqual(0)
    expect(facts[0]!.lag_ms).toBeLessThan(30_000)
  })

  it('is a metric, and so is its freshness', async () => {
    await eventually(async () => {
      const lines = await (await fetch(`${feed.service.url}/metrics`)).text()
      expect(Number(/^connectivity_feed_freshness_seconds_count (\d+)$/m.exec(lines)?.[1])).toBeGreaterThanOrEqual(3)
      expect(lines).toMatch(/^connectivity_kafka_consumer_lag\{topic="booking.reservations.v1",partition="\d+"\} 0$/m)
    })
  })
})

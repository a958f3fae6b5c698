import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import { type FeedProcess, feedProcess } from './feed-process.js'

let feed: FeedProcess
const run = randomUUID().slice(0, 8)
const [connectionId, propertyId] = [`con_${run}`, `prop_${run}`]
const shown = async () => {
  const { page } = await feed.page(connectionId, `property_id=${connectionId}`)
  return page.reservations.map(({ reservation_id }) => reservation_id)
}

beforeAll(async () => {
  feed = await feedProcess()
  await feed.announce({ connection_id: connectionId, property_id: propertyId })
  await feed.book([{ property_id: propertyId, reservation_id: 'before' }])
  await eventually(async () => expect(await shown()).toEqual(['before']))
})
afterAll(() => feed.end())

/** Drops the weeks of the timeline, which end when no feed has run for some days. */
async function dropWeeks(): Promise<void> {
  const { rows } = await feed.sql.query<{ name: string }>(
    `SELECT inhrelid::regclass AS name FROM pg_inherits WHERE inhparent = 'reservation_stamp'::regclass`,
  )
  expect(rows.length).toBeGreaterThan(0)
  await feed.sql.query(`DROP TABLE ${rows.map(({ name }) => name).join(', ')}`)
}

describe('a feed that was stopped for longer than the weeks of its timeline reach', () => {
  it('shows the bookings of that time at once and sets none aside', async () => {
    await feed.service.stop()
    await dropWeeks()
    await feed.book([{ property_id: propertyId, reservation_id: 'meanwhile' }])
    await feed.service.start()
    await eventually(async () => expect(await shown()).toEqual(['before', 'meanwhile']))
    expect((await feed.sql.query('SELECT reason FROM dead_letter')).rows).toEqual([])
  })
})

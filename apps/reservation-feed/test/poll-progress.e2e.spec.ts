import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { eventually } from '@connectivity/testing/eventually'
import { type FeedProcess, feedProcess } from './feed-process.js'

const run = randomUUID().slice(0, 8)

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
})
afterAll(() => feed.end())

/** Announces a connection with one reservation in its feed. */
async function connected(name: string): Promise<string> {
  const [connection_id, property_id] = [`con_${run}_${name}`, `prop_${run}_${name}`]
  await feed.announce({ connection_id, property_id })
  await feed.book([{ property_id, reservation_id: `${run}-${name}` }])
  const rows = 'SELECT FROM feed_row WHERE connection_id = $1'
  await eventually(async () => expect((await feed.sql.query(rows, [connection_id])).rowCount).toBe(1))
  return connection_id
}

/** Announces many connections, each with one reservation in its feed. */
async function connectedAll(count: number): Promise<string[]> {
  const all = Array.from({ length: count }, (_, number) => ({
    connection_id: `con_${run}_${number}`,
    property_id: `prop_${run}_${number}`,
  }))
  await feed.announce(...all)
  await feed.book(all.map(({ property_id }, number) => ({ property_id, reservation_id: `${run}-${number}` })))
  await eventually(async () => expect((await feed.sql.query('SELECT FROM feed_row')).rowCount).toBe(count))
  return all.map(({ connection_id }) => connection_id)
}

const poll = async (id: string, more = '') => {
  const { status, headers } = await feed.get(id, '/reservations', `property_id=${id}${more}`)
  expect(status).toBe(200)
  return headers.get('service-checkpoint')!
}
const isWritten = (id: string) =>
  eventually(async () => {
    const rows = 'SELECT FROM feed_progress WHERE connection_id = $1'
    expect((await feed.sql.query(rows, [id])).rowCount).toBe(1)
  })

describe('a feed process that stops', () => {
  it('knows when it is started again which pages it served while it stopped', async () => {
    const ids = await connectedAll(400)
    const served: string[] = []
    const left = [...ids]
    const poller = async () => {
      for (let id; (id = left.shift()) !== undefined;) {
        await poll(id)
        served.push(id)
      }
    }
    // They end when the listener closes.
    const polling = Array.from({ length: 16 }, () => poller().catch(() => undefined))
    await eventually(() => expect(served.length).toBeGreaterThan(20))
    const servedBefore = served.length
    await feed.service.stop()
    await Promise.all(polling)
    await feed.service.start()
    expect(served.length).toBeGreaterThan(servedBefore)
    const { rows } = await feed.sql.query<{ connection_id: string }>('SELECT connection_id FROM feed_progress')
    expect(rows.map(({ connection_id }) => connection_id)).toEqual(expect.arrayContaining(served))
  })
})

describe('a feed process that is killed half a second after it served a page', () => {
  it('knows when it is started again that the page was served', async () => {
    const [other, id] = [await connected('other'), await connected('served')]
    // A round of writes has just ended.
    await poll(other)
    await isWritten(other)

    const checkpoint = await poll(id)
    await delay(500)
    await feed.service.kill()
    await feed.service.start()
    await poll(id, `&updated_since=${new Date(Date.parse(checkpoint) + 1).toISOString()}`)
    const { body } = await feed.get(id, '/reservations/status', `property_id=${id}`)
    expect(body).toMatchObject({ processed_to: checkpoint, waiting: 0 } satisfies Partial<DeliveryStatus>)
  })
})

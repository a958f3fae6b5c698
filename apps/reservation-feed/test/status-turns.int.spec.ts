import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { formatTimestamp } from '@connectivity/contracts/time'
import { startUntilLocked } from '@connectivity/testing/lock-waits'
import type { Client } from 'pg'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

let feed: FeedInProcess
let other: Client
beforeEach(async () => {
  feed = await feedInProcess()
  await feed.database.query(
    `INSERT INTO feed_connection (connection_id, property_id, external_property_id, state)
     SELECT 'con_' || i, 'prop_1', 'PMS-100', 'live' FROM generate_series(0, 11) i`,
  )
  other = await feed.database.session()
  // The statuses wait for this lock inside their transactions.
  await other.query('BEGIN; LOCK TABLE feed_row IN ACCESS EXCLUSIVE MODE')
})
afterEach(async () => {
  await other.end()
  await feed.end()
})

const statuses = (count: number, ofWhich: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => feed.statuses.of(ofWhich(index)))

describe('delivery statuses', () => {
  it('are read two at a time, which leaves transactions to the projection', async () => {
    const read = Promise.all(statuses(12, (index) => `con_${index}`))
    await feed.database.transaction((tx) => tx.query('SELECT'))
    await other.query('ROLLBACK')
    expect(await read).toHaveLength(12)
  })

  it('wait three seconds for their turn, then are refused with 503 and Retry-After', async () => {
    const refused = { code: 'service_unavailable', headers: { 'retry-after': '2' } }
    const [first, ...rest] = statuses(6, () => 'con_1').map((status) => status.catch((error: unknown) => error))
    expect(await first).toMatchObject({ code: '55P03' })
    expect(await rest.at(-1)).toMatchObject(refused)
    await other.query('ROLLBACK')
    await Promise.all(rest)
  })

  it('show one moment, even if a change commits while they are read', async () => {
    let seen: DeliveryStatus | undefined
    const done = await startUntilLocked(feed.database, async () => void (seen = await feed.statuses.of('con_1')))
    await other.query(
      `UPDATE feed_connection SET last_stamp = 1000 WHERE connection_id = 'con_1';
       INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body)
       VALUES ('con_1', 'RSV-1', 1000, 'reservation', '{}');
       COMMIT`,
    )
    await done()
    expect(seen!.checkpoint).toBe(seen!.oldest_waiting_at ?? formatTimestamp(0))
  })
})

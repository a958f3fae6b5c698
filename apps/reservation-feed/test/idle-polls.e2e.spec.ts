import { randomUUID } from 'node:crypto'
import { FRESH_HEADER, NOTHING_NEW_HEADER } from '@connectivity/contracts/waiting'
import { formatTimestamp } from '@connectivity/contracts/time'
import { eventually } from '@connectivity/testing/eventually'
import { type FeedProcess, feedProcess } from './feed-process.js'

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
})
afterAll(() => feed.end())

/** A feed of one reservation whose stamp is a minute old, so that every process has heard of it. */
async function settledFeed() {
  const run = randomUUID().slice(0, 8)
  const [connectionId, propertyId] = [`con_${run}`, `prop_${run}`]
  const stamp = async () => {
    const text = 'SELECT last_stamp::float8 AS stamp FROM feed_connection WHERE connection_id = $1'
    return (await feed.sql.query<{ stamp: number }>(text, [connectionId])).rows[0]?.stamp ?? 0
  }
  await feed.announce({ connection_id: connectionId, property_id: propertyId })
  await feed.book([{ property_id: propertyId, reservation_id: `${run}-1` }])
  await eventually(async () => expect(await stamp()).toBeGreaterThan(0))
  const poll = (since: number, headers: Record<string, string> = {}) => {
    const query = `property_id=${connectionId}&updated_since=${formatTimestamp(since)}`
    return feed.get(connectionId, '/reservations', query, headers)
  }
  await eventually(async () => expect((await poll(await stamp())).status).toBe(200))
  await feed.sql.query(`UPDATE feed_row SET stamp = stamp - 60000 WHERE connection_id = $1`, [connectionId])
  await feed.sql.query(`UPDATE feed_connection SET last_stamp = last_stamp - 60000 WHERE connection_id = $1`, [
    connectionId,
  ])
  return { connectionId, propertyId, run, poll, last: await stamp() }
}

/** Locks heads and rows, so that no query can read them meanwhile. */
async function withoutDatabase<T>(work: () => Promise<T>): Promise<T> {
  await feed.sql.query('BEGIN')
  try {
    await feed.sql.query('LOCK TABLE feed_connection, feed_row IN ACCESS EXCLUSIVE MODE')
    return await work()
  } finally {
    await feed.sql.query('ROLLBACK')
  }
}

/** Asks while the database answers nothing. On a busy machine a copy in memory may be given up in between. */
const fromMemory = <T extends { status: number }>(warmUp: () => Promise<unknown>, ask: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    await warmUp()
    const answer = await withoutDatabase(ask)
    expect(answer.status).not.toBe(503)
    return answer
  })

describe('a poll that finds nothing new', () => {
  it('does not ask the database', async () => {
    const { poll, last } = await settledFeed()
    const empty = { status: 200, body: { reservations: [] } }
    const ask = () => poll(last + 1)
    const polled = await fromMemory(ask, ask)
    expect(polled).toMatchObject(empty)
    expect(polled.headers.get('service-checkpoint')).toBe(formatTimestamp(last))
    expect(polled.headers.get(NOTHING_NEW_HEADER)).toBe('1')
  })

  it('does not ask the database to answer that the last row is the one the client has', async () => {
    const { poll, last } = await settledFeed()
    const page = await poll(last)
    expect(page.body).toMatchObject({ reservations: [{}] })
    expect(page.headers.has(NOTHING_NEW_HEADER)).toBe(false)
    const etag = page.headers.get('etag')!
    const polled = await fromMemory(
      () => poll(last + 1),
      () => poll(last, { 'if-none-match': etag }),
    )
    expect(polled.status).toBe(304)
    for (const name of ['etag', 'service-checkpoint', 'cache-control']) {
      expect(polled.headers.get(name)).toBe(page.headers.get(name))
    }
    expect(polled.headers.get(NOTHING_NEW_HEADER)).toBe('1')
    expect((await poll(last, { 'if-none-match': 'W/"another"' })).status).toBe(200)
  })

  it('sees the next change at once after its commit when it asks for fresh state, and soon otherwise', async () => {
    const { poll, last, connectionId, propertyId, run } = await settledFeed()
    await poll(last + 1)
    const changes = await feed.changes()
    await feed.book([{ property_id: propertyId, reservation_id: `${run}-2` }])
    await eventually(() => expect(changes.lines.join(' ').split(' ')).toContain(connectionId))
    // An earlier change may have been named late.
    const rows = 'SELECT FROM feed_row WHERE reservation_id = $1'
    await eventually(async () => expect((await feed.sql.query(rows, [`${run}-2`])).rowCount).toBe(1))
    expect((await poll(last + 1, { [FRESH_HEADER]: '1' })).body).toMatchObject({ reservations: [{}] })
    await eventually(async () => expect((await poll(last + 1)).body).toMatchObject({ reservations: [{}] }))
    changes.close()
  })

  it('finds nothing new while the feed is filled, so that a request may wait for it', async () => {
    const { poll, last, connectionId } = await settledFeed()
    await feed.sql.query(`UPDATE feed_connection SET state = 'filling' WHERE connection_id = $1`, [connectionId])
    for (const since of [0, last, last + 1]) {
      const { status, headers } = await poll(since, { [FRESH_HEADER]: '1' })
      expect([status, headers.get(NOTHING_NEW_HEADER)]).toEqual([503, '1'])
    }
  })

  it('reads the database for a bound later than every stamp in memory', async () => {
    const { poll, last } = await settledFeed()
    await poll(last + 1)
    // Another replica may have answered with a later checkpoint.
    const outcome = withoutDatabase(async () => {
      const polled = poll(last + 2)
      const first = await Promise.race([polled.then(() => 'answered'), new Promise((done) => setTimeout(done, 300))])
      return { first, polled }
    })
    const { first, polled } = await outcome
    expect(first).toBeUndefined()
    expect((await polled).status).toBe(200)
  })

  it('asks the database while notifications are missed', async () => {
    const { poll, last, connectionId } = await settledFeed()
    await poll(last + 1)
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE datname = current_database() AND query IN ('LISTEN feed_heads', 'SELECT 1')`
    const changes = await feed.changes()
    await feed.sql.query(cut)
    await feed.sql.query(`UPDATE feed_connection SET external_property_id = 'RENAMED' WHERE connection_id = $1`, [
      connectionId,
    ])
    await eventually(async () => expect((await poll(last + 1)).body).toMatchObject({ external_property_id: 'RENAMED' }))
    await eventually(() => expect(changes.lines).toContain('*'))
    changes.close()
  })
})

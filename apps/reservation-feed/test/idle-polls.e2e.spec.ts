import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { NO_BODY_HEADER } from '@connectivity/contracts/evidence'
import {
  CURRENT,
  EVERYTHING_CHANGED,
  LOOK_HEADER,
  NOTHING_NEW_HEADER,
  ONLY_NEWS,
  UNTIL_CHANGE,
} from '@connectivity/contracts/waiting'
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

/** Polls until the answer may be repeated: what polls imply is stored in the background. */
const untilRepeatable = <T extends { headers: Headers }>(poll: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    const answer = await poll()
    expect(answer.headers.get(NOTHING_NEW_HEADER)).toBe(UNTIL_CHANGE)
    return answer
  })

describe('a poll that finds nothing new', () => {
  it('gets an answer that stays the same until the connection changes', async () => {
    const { poll, last } = await settledFeed()
    const polled = await untilRepeatable(() => poll(last + 1))
    expect(polled).toMatchObject({ status: 200, body: { reservations: [] } })
    expect(polled.headers.get('service-checkpoint')).toBe(formatTimestamp(last))
  })

  it('gets a 304 that stays the same if it has the last row', async () => {
    const { poll, last } = await settledFeed()
    const page = await poll(last)
    expect(page.body).toMatchObject({ reservations: [{}] })
    expect(page.headers.has(NOTHING_NEW_HEADER)).toBe(false)
    const polled = await untilRepeatable(() => poll(last, { 'if-none-match': page.headers.get('etag')! }))
    expect(polled.status).toBe(304)
    for (const name of ['etag', 'service-checkpoint']) expect(polled.headers.get(name)).toBe(page.headers.get(name))
    expect((await poll(last, { 'if-none-match': 'W/"another"' })).status).toBe(200)
  })

  it.each([
    ['a bound ahead of every stamp', 120_000, {}],
    ['HEAD', 1, { [NO_BODY_HEADER]: '1' }],
    ['a look of a waiting request', 1, { [LOOK_HEADER]: ONLY_NEWS }],
  ])('gets an answer that holds only now for %s', async (_what, after, headers) => {
    const { poll, last } = await settledFeed()
    await untilRepeatable(() => poll(last + 1))
    expect((await poll(last + after, headers)).headers.get(NOTHING_NEW_HEADER)).toBe('1')
  })

  it('gets an answer that holds only now while the last change is recent', async () => {
    const { poll, last, connectionId } = await settledFeed()
    await untilRepeatable(() => poll(last + 1))
    await feed.sql.query(`UPDATE feed_connection SET last_stamp = $2 WHERE connection_id = $1`, [
      connectionId,
      Date.now(),
    ])
    expect((await poll(Date.now() + 10)).headers.get(NOTHING_NEW_HEADER)).toBe('1')
  })

  it('sees the next change after its notification', async () => {
    const { poll, last, connectionId, propertyId, run } = await settledFeed()
    await untilRepeatable(() => poll(last + 1))
    const changes = await feed.changes()
    await feed.book([{ property_id: propertyId, reservation_id: `${run}-2` }])
    await eventually(() => expect(changes.lines.join(' ').split(' ')).toContain(connectionId))
    // An earlier change may have been named late.
    const rows = 'SELECT FROM feed_row WHERE reservation_id = $1'
    await eventually(async () => expect((await feed.sql.query(rows, [`${run}-2`])).rowCount).toBe(1))
    expect((await poll(last + 1)).body).toMatchObject({ reservations: [{}] })
    changes.close()
  })

  it('finds nothing new while the feed is being filled, so that a request may wait for it', async () => {
    const { poll, last, connectionId } = await settledFeed()
    await feed.sql.query(`UPDATE feed_connection SET state = 'filling' WHERE connection_id = $1`, [connectionId])
    for (const since of [0, last, last + 1]) {
      const { status, headers } = await poll(since)
      expect([status, headers.get(NOTHING_NEW_HEADER)]).toEqual([503, '1'])
    }
  })
})

describe('the stream of changes', () => {
  const untilNext = (lines: readonly string[], line: string) => {
    const seen = lines.length
    return eventually(() => expect(lines.slice(seen)).toContain(line))
  }

  it('says that it is current, and after lost notifications only once everything has been reported as changed', async () => {
    const changes = await feed.changes()
    await untilNext(changes.lines, CURRENT)
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE datname = current_database() AND query IN ('LISTEN feed_heads', 'SELECT 1')`
    await feed.sql.query(cut)
    await untilNext(changes.lines, EVERYTHING_CHANGED)
    await untilNext(changes.lines, CURRENT)
    changes.close()
  })

  it('is not current while bookings wait to be applied', async () => {
    const { propertyId, run } = await settledFeed()
    const changes = await feed.changes()
    await untilNext(changes.lines, CURRENT)
    await feed.sql.query('BEGIN')
    await feed.sql.query('LOCK TABLE booking IN ACCESS EXCLUSIVE MODE')
    await feed.book([{ property_id: propertyId, reservation_id: `${run}-2` }])
    await eventually(async () => {
      const seen = changes.lines.length
      await delay(2_500)
      expect(changes.lines.slice(seen)).not.toContain(CURRENT)
    })
    await feed.sql.query('ROLLBACK')
    await untilNext(changes.lines, CURRENT)
    changes.close()
  })
})

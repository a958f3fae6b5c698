import type { FeedDigest } from '@connectivity/contracts/digest'
import { eventually } from '@connectivity/testing/eventually'
import { type FeedProcess, feedProcess } from './feed-process.js'

/** So many that a digest takes about a second. */
const ROWS = 300_000
const query = 'property_id=con_1&checkpoint=9999-12-31T23:59:59.999Z'

describe('a digest whose client leaves', () => {
  let feed: FeedProcess
  beforeAll(async () => {
    feed = await feedProcess()
    await feed.sql.query(
      `INSERT INTO feed_connection (connection_id, property_id, external_property_id, state, last_stamp)
       VALUES ('con_1', 'prop_1', 'PMS-100', 'live', ${ROWS});
       INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body)
       SELECT 'con_1', 'R-' || i, i, 'reservation', '{}' FROM generate_series(1, ${ROWS}) i`,
    )
  })
  afterAll(() => feed.end())

  const digest = async (signal?: AbortSignal) =>
    (await feed.get('con_1', '/reservations/digest', query, {}, feed.service.url, signal)).body as FeedDigest
  const readings = async () => {
    const { rows } = await feed.sql.query<{ count: number }>(
      `SELECT count(*)::integer FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'FETCH%' AND state <> 'idle'`,
    )
    return rows[0]!.count
  }
  const timeOf = async (work: () => Promise<unknown>) => {
    const begunAt = performance.now()
    await work()
    return performance.now() - begunAt
  }

  it('is read no further, and leaves its turn to the next one', async () => {
    const whole = await timeOf(digest)
    const gone = new AbortController()
    const left = digest(gone.signal).catch((error: Error) => error.name)
    await eventually(async () => expect(await readings()).toBe(1))
    gone.abort()
    const rest = await timeOf(() => eventually(async () => expect(await readings()).toBe(0)))
    expect(rest).toBeLessThan(whole / 2)
    expect(await left).toBe('AbortError')
    expect((await digest()).rows).toBe(ROWS)
  })
})

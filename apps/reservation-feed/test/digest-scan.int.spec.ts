import { DigestSum } from '@connectivity/contracts/digest-sum'
import { formatTimestamp } from '@connectivity/contracts/time'
import { FeedSnapshotStore } from '../src/digest/feed-snapshot.store.js'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

const ROWS = 5_300
const FIRST = Date.parse('2026-11-20T10:00:00Z')

let feed: FeedInProcess
beforeAll(async () => {
  feed = await feedInProcess()
  await feed.database.query(
    `INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body)
     SELECT 'con_' || c, 'R-' || i, $1::bigint + i, 'reservation', '{}' FROM generate_series(1, $2::int) i, generate_series(1, 3) c`,
    [FIRST, ROWS],
  )
  await feed.database.query(
    `INSERT INTO feed_connection (connection_id, property_id, external_property_id, state, last_stamp)
     SELECT 'con_' || c, 'prop', 'PMS', 'live', $1::bigint + $2 FROM generate_series(1, 3) c`,
    [FIRST, ROWS],
  )
  await feed.database.query('VACUUM ANALYZE feed_row')
})
afterAll(() => feed.end())

describe('the reading of a feed for its digest', () => {
  it('covers every row of the connection, over many chunks', async () => {
    const expected = new DigestSum()
    for (let row = 1; row <= ROWS; row++) expected.add(formatTimestamp(FIRST + row), 'reservation', `R-${row}`)
    const { digest, lastStamp } = await feed.digests.whole('con_2', FIRST + ROWS, 0)
    expect([digest.rows, digest.digest(), lastStamp]).toEqual([ROWS, expected.digest(), FIRST + ROWS])
  })

  it('covers no rows of a connection whose catalog has not arrived', async () => {
    await feed.connect({ connection_id: 'con_4', property_id: 'prop' })
    const { digest, lastStamp } = await feed.digests.whole('con_4', FIRST + ROWS, 0)
    expect([digest.rows, digest.digest(), lastStamp]).toEqual([0, new DigestSum().digest(), 0])
  })

  it('reads the index alone', async () => {
    const { rows } = await feed.database.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT stamp, kind, reservation_id FROM feed_row
        WHERE connection_id = 'con_2' AND stamp > -1 AND stamp <= ${Number.MAX_SAFE_INTEGER} ORDER BY stamp DESC`,
    )
    expect(rows[0]!['QUERY PLAN']).toMatch(/^Index Only Scan Backward using feed_row_order/)
  })

  it('sees one moment: changes that commit meanwhile do not show', async () => {
    const change = () =>
      feed.database.query(`UPDATE feed_row SET stamp = stamp + 1000000 WHERE connection_id = 'con_3' AND stamp % 2 = 0`)
    const before = await feed.digests.upTo('con_3', FIRST + ROWS)
    const reading = feed.digests.upTo('con_3', FIRST + ROWS)
    const [during] = await Promise.all([reading, change()])
    const after = await feed.digests.upTo('con_3', FIRST + ROWS)
    expect([before.digest.digest(), after.digest.digest()]).toContain(during.digest.digest())
    expect(after.digest.rows).toBe(ROWS / 2)
  })

  it('sees the head and the rows of one moment', async () => {
    const latest = FIRST + ROWS + 1
    const move = async () => {
      const [row, head] = ['UPDATE feed_row SET stamp = $1', 'UPDATE feed_connection SET last_stamp = $1']
      await feed.database.query(`${row} WHERE connection_id = 'con_1' AND reservation_id = 'R-1'`, [latest])
      await feed.database.query(`${head} WHERE connection_id = 'con_1'`, [latest])
    }
    const read = await new FeedSnapshotStore(feed.database).read('con_1', async (snapshot) => {
      // Commits after the head has been read, and before the rows are.
      await move()
      const stamps: number[] = []
      for await (const chunk of snapshot.rows({ order: 'descending' }))
        stamps.push(...chunk.map(([stamp]) => Number(stamp)))
      return { lastStamp: snapshot.head!.lastStamp, first: stamps[0], count: stamps.length }
    })
    expect(read).toEqual({ lastStamp: FIRST + ROWS, first: FIRST + ROWS, count: ROWS })
  })
})

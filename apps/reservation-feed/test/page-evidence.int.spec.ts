import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { formatTimestamp, parseTimestamp } from '@connectivity/contracts/time'
import { eventually } from '@connectivity/testing/eventually'
import { catalog, catalogRoom } from '@connectivity/testing/catalog'
import { selectionOf } from '../src/redelivery/redelivery-selection.js'
import { FeedPageStore } from '../src/pages/feed-page.store.js'
import { feedInProcess, type FeedInProcess } from './feed-in-process.js'

describe('the pilot evidence of pages', () => {
  let feed: FeedInProcess
  beforeAll(async () => {
    feed = await feedInProcess()
    await feed.connect({})
    feed.start()
    await feed.takeCatalogs(catalog())
    await eventually(async () => expect((await new FeedPageStore(feed.database).head('con_1'))!.state).toBe('live'))
  })
  afterAll(() => feed.end())

  const stamps = async () =>
    (await feed.page('con_1')).reservations.map(({ updated_at }) => parseTimestamp(updated_at)!)
  const lastStamp = async () => (await stamps()).at(-1)!

  /** Evidence of the pages of a pull, page by page. */
  const shown = async (query: string, state?: ConnectionState): Promise<string[]> => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const asked = cursor === '' ? query : `${query}&cursor=${cursor}`
      const { status, page, evidence } = await feed.poll('con_1', `property_id=con_1${asked}`, state)
      expect(status).toBe(200)
      seen.push(evidence)
      cursor = page.pagination.next_cursor
    }
    return seen
  }
  /** Evidence of the only page of a pull with this lower bound. */
  const graded = async (since: number): Promise<string[]> => {
    const [evidence = '', ...others] = await shown(`&updated_since=${formatTimestamp(since)}`)
    expect(others).toEqual([])
    return evidence === '' ? [] : evidence.split(',')
  }

  it('includes the end of a full pull of an empty feed only if the pull has no bound', async () => {
    expect(await shown('&updated_since=2099-01-01T00:00:00Z')).toEqual([''])
    expect(await shown('&updated_since=1970-01-01T00:00:00Z')).toEqual([''])
    expect(await shown('')).toEqual(['full-pull-end'])
  })

  it('includes the end of a full pull on its last page only', async () => {
    await feed.book([{ reservation_id: 'RSV-1' }, { reservation_id: 'RSV-2' }, { reservation_id: 'RSV-3' }])
    expect(await shown('&limit=1')).toEqual(['', '', 'full-pull-end'])
    expect(await shown('&limit=2&updated_since=1970-01-01T00:00:00Z')).toEqual(['', 'full-pull-end'])
    const [first] = await stamps()
    expect(await graded(first! - 1)).toEqual(['full-pull-end'])
    const justBefore = formatTimestamp(first! - 1).replace('Z', '999Z')
    expect(await shown(`&updated_since=${justBefore}`)).toEqual(['full-pull-end'])
    expect(await graded(first!)).toEqual(['created'])
    expect(await shown('&updated_since=2099-01-01T00:00:00Z')).toEqual([''])
  })

  it('is empty in production, and costs a pilot no statement', async () => {
    const [first] = await stamps()
    const incremental = `&limit=1&updated_since=${formatTimestamp(first!)}`
    // The background work sends statements as well.
    await feed.stop()
    const count = countStatements(feed)
    const statements = async (state: ConnectionState) => {
      const before = count()
      return [await shown(incremental, state), count() - before]
    }
    const [inProduction, needed] = await statements('production')
    expect(inProduction).toEqual(['', '', ''])
    expect(await statements('pilot')).toEqual([['', 'created', 'created'], needed])
    feed.start()
  })

  it('includes a change later than the bound of an incremental pull, but none at it', async () => {
    const bound = await lastStamp()
    expect(await graded(bound)).toEqual([])
    await feed.book([{ reservation_id: 'RSV-4' }])
    expect(await graded(bound)).toEqual(['created'])
    const created = await lastStamp()
    await feed.book([{ reservation_id: 'RSV-4', version: 2, check_out: '2026-12-09' }])
    expect(await graded(created)).toEqual(['modified'])
    expect(await graded(bound)).toEqual(['created', 'modified'])
    const modified = await lastStamp()
    await feed.book([{ reservation_id: 'RSV-4', version: 3, status: 'cancelled' }])
    expect(await graded(modified)).toEqual(['cancelled'])
  })

  it('includes neither a problem nor a reservation that an operator had delivered again', async () => {
    const bound = await lastStamp()
    await feed.book([{ reservation_id: 'RSV-5', accommodation: [] }])
    expect(await graded(bound)).toEqual([])
    const again = selectionOf({ reservation_ids: ['RSV-1'] })
    const { redelivery_id } = await feed.database.transaction((tx) => feed.redelivery.accept(tx, 'con_1', again))
    await feed.redelivery.settle(redelivery_id)
    expect((await feed.page('con_1', bound + 1)).reservations).toHaveLength(1)
    expect(await graded(bound)).toEqual([])
  })

  it('includes a modification when the mapping brings a reservation back', async () => {
    const bound = await lastStamp()
    await feed.takeCatalogs(catalog({ catalog_version: 2, rooms: [catalogRoom('rm_double', 'DBL')] }))
    await eventually(async () => expect(await graded(bound)).toEqual(['modified']))
  })
})

/** Number of statements sent so far. */
function countStatements({ database }: FeedInProcess): () => number {
  const ask = database.query as (...args: unknown[]) => Promise<unknown>
  let count = 0
  const query = (...args: unknown[]) => {
    count += 1
    return ask(...args)
  }
  Object.assign(database, { query })
  return () => count
}

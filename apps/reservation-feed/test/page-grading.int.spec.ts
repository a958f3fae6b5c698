import { parseTimestamp } from '@connectivity/contracts/time'
import { eventually } from '@connectivity/testing/eventually'
import { selectionOf } from '../src/redelivery/redelivery-selection.js'
import { FeedPageStore } from '../src/reservations/feed-page.store.js'
import { PageGrading } from '../src/reservations/page-grading.service.js'
import { catalog, catalogRoom, feedInProcess, type FeedInProcess } from './feed-in-process.js'

describe('what pages show of the pilot checklist', () => {
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

  /** A pull with this lower bound, its page cut after some rows. */
  const graded = async (since: number, limit = 100) => {
    const store = new FeedPageStore(feed.database)
    const { head, rows } = await store.headAndRows('con_1', since, limit + 1)
    const page = rows.slice(0, limit)
    const checkpoint = page.at(-1)?.stamp ?? head!.lastStamp
    const hasMore = rows.length > limit
    const served = { connectionId: 'con_1', head: head!, since, from: since, count: page.length, checkpoint, hasMore }
    return new PageGrading(store).of(served)
  }

  it('is the end of a full pull on its last page only, also of an empty feed', async () => {
    expect(await graded(0)).toEqual(['full-pull-end'])
    await feed.book([{ reservation_id: 'RSV-1' }, { reservation_id: 'RSV-2' }, { reservation_id: 'RSV-3' }])
    expect(await graded(0, 1)).toEqual([])
    expect(await graded(0)).toEqual(['full-pull-end'])
    const [first] = await stamps()
    expect(await graded(first! - 1)).toEqual(['full-pull-end'])
    expect(await graded(first!)).toEqual(['created'])
  })

  it('is a change later than the bound of an incremental pull, not one at it', async () => {
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

  it('is neither a problem nor what an operator had delivered anew', async () => {
    const bound = await lastStamp()
    await feed.book([{ reservation_id: 'RSV-5', accommodation: [] }])
    expect(await graded(bound)).toEqual([])
    const again = selectionOf({ reservation_ids: ['RSV-1'] })
    const { redelivery_id } = await feed.database.transaction((tx) => feed.redelivery.accept(tx, 'con_1', again))
    await feed.redelivery.settle(redelivery_id)
    expect((await feed.page('con_1', bound + 1)).reservations).toHaveLength(1)
    expect(await graded(bound)).toEqual([])
  })

  it('is a modification when the mapping brought a reservation back', async () => {
    const bound = await lastStamp()
    await feed.takeCatalogs(catalog({ catalog_version: 2, rooms: [catalogRoom('rm_double', 'DBL')] }))
    await eventually(async () => expect(await graded(bound)).toEqual(['modified']))
  })
})

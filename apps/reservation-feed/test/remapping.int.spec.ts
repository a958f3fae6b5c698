import { bookingLine } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { catalog, catalogRoom } from '@connectivity/testing/catalog'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
  feed.start()
})
afterEach(() => feed.end())

let version = 0
/** Applies a catalog with these mappings, and waits until everything is rendered with it. */
async function mapped(single: string | null, flex: string | null, code = 'PMS-100'): Promise<void> {
  const [plan] = catalog().rate_plans
  await feed.takeCatalogs(
    catalog({
      catalog_version: ++version,
      external_property_id: code,
      rooms: [catalogRoom('rm_double'), catalogRoom('rm_single', single)],
      rate_plans: [{ ...plan!, external_id: flex }],
    }),
  )
  await eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
}

const lastStamp = async () =>
  Math.max(0, ...(await feed.page('con_1')).reservations.map(({ updated_at }) => Date.parse(updated_at)))
/** Result of an incremental poll: ids with the external ids of their lines. */
const after = async (stamp: number) =>
  (await feed.page('con_1', stamp + 1)).reservations.map(({ reservation_id, accommodation }) => [
    reservation_id,
    ...accommodation.flatMap(({ external_room_id, external_rate_plan_id }) => [
      external_room_id,
      external_rate_plan_id,
    ]),
  ])

const [double, single] = ['rm_double', 'rm_single'].map((room_id) => bookingLine({ room_id, rate_plan_id: null }))
const flexible = bookingLine({ room_id: 'rm_double', rate_plan_id: 'rp_flex' })

describe('a change of the mapping', () => {
  beforeEach(async () => {
    await mapped(null, null)
    await feed.book([
      { reservation_id: 'double', accommodation: [double!] },
      { reservation_id: 'single', accommodation: [single!] },
      { reservation_id: 'both', accommodation: [double!, single!] },
      { reservation_id: 'flexible', accommodation: [flexible] },
      { reservation_id: 'cancelled', accommodation: [single!] },
      { reservation_id: 'pending', accommodation: [single!], status: 'pending' },
    ])
    await feed.book([{ reservation_id: 'cancelled', accommodation: [single!], status: 'cancelled', version: 2 }])
    await feed.events()
  })

  it('shows null before it, and delivers exactly the reservations affected, when mapping and unmapping', async () => {
    expect(await after(0)).toEqual([
      ['double', null, null],
      ['single', null, null],
      ['both', null, null, null, null],
      ['flexible', null, null],
      ['cancelled', null, null],
    ])
    const [before, untouched] = [await lastStamp(), (await feed.page('con_1')).reservations]
    await mapped('SGL', null)
    const touched = [
      ['single', 'SGL', null],
      ['both', null, null, 'SGL', null],
      ['cancelled', 'SGL', null],
    ]
    expect(await after(before)).toEqual(touched)
    const now = (await feed.page('con_1')).reservations
    for (const id of ['double', 'flexible']) {
      const find = (all: typeof now) => all.find(({ reservation_id }) => reservation_id === id)
      expect(find(now)).toEqual(find(untouched))
    }
    expect((await feed.events()).map(({ type, reservation_id, data }) => [type, reservation_id, data.changes])).toEqual(
      touched.map(([id]) => ['reservation.modified', id, ['accommodation']]),
    )
    const mappedAt = await lastStamp()
    await mapped(null, null)
    expect((await after(mappedAt)).map(([id]) => id)).toEqual(['single', 'both', 'cancelled'])
    expect((await after(mappedAt)).flat()).not.toContain('SGL')
  })

  it('delivers the reservations of a rate plan, all for the property itself, and none if nothing changes', async () => {
    const first = await lastStamp()
    await mapped(null, 'FLEX')
    expect(await after(first)).toEqual([['flexible', null, 'FLEX']])
    const second = await lastStamp()
    await mapped(null, 'FLEX', 'PMS-200')
    expect((await after(second)).length).toBe(5)
    expect((await feed.page('con_1', second + 1)).reservations).toMatchObject(
      Array.from({ length: 5 }, () => ({ external_property_id: 'PMS-200' })),
    )
    const third = await lastStamp()
    await mapped(null, 'FLEX', 'PMS-200')
    expect(await after(third)).toEqual([])
  })
})

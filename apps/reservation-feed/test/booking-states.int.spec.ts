import { booking } from '@connectivity/testing/events'
import { BookingStore } from '../src/projection/booking.store.js'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

const store = new BookingStore()
let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
})
afterEach(() => feed.end())

const recordOf = (reservation_id: string, version: number, replaces: number | null) => ({
  booking: booking({ reservation_id, version }),
  ...{ confirmed: true, kept: null, offset: 1n, time: null, replaces },
})
const write = (...records: ReturnType<typeof recordOf>[]) =>
  feed.database.transaction(async (tx) => store.upsert(tx, records))
const versions = async () =>
  (await feed.database.query<{ version: string }>('SELECT version FROM booking ORDER BY reservation_id')).rows.map(
    ({ version }) => Number(version),
  )
const overtaken = { name: 'Overtaken' }

describe('states of bookings', () => {
  it('are written over the versions that they replace, new ones beside them', async () => {
    await write(recordOf('RSV-1', 1, null))
    await write(recordOf('RSV-2', 1, null), recordOf('RSV-1', 2, 1))
    expect(await versions()).toEqual([2, 1])
  })

  it.each([
    ['a higher version', 5],
    ['a lower version', 3],
  ])('are not written when another writer stored %s since they were read', async (_what, stored) => {
    await write(recordOf('RSV-1', stored, null))
    await expect(write(recordOf('RSV-1', 4, 2))).rejects.toMatchObject(overtaken)
    await expect(write(recordOf('RSV-1', 4, null), recordOf('RSV-2', 1, null))).rejects.toMatchObject(overtaken)
    expect(await versions()).toEqual([stored])
  })
})

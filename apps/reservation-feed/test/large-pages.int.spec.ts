import { bookingLine } from '@connectivity/testing/events'
import { catalog } from '@connectivity/testing/catalog'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

const MIB = 1024 * 1024

let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
  await feed.takeCatalogs(catalog())
})
afterEach(() => feed.end())

/** Counts the bytes of texts that PostgreSQL returns from now on. */
function countBytes(): () => number {
  const { database } = feed
  const ask = database.query as (...args: unknown[]) => Promise<{ rows: unknown[][] }>
  let bytes = 0
  const query = async (...args: unknown[]) => {
    const result = await ask(...args)
    for (const value of result.rows.flat()) if (typeof value === 'string') bytes += Buffer.byteLength(value)
    return result
  }
  Object.assign(database, { query })
  return () => bytes
}

/** A reservation with the given number of KiB of text. */
const large = (id: number, kib: number) => ({
  reservation_id: `RSV-${id}`,
  accommodation: Array.from({ length: kib }, () => bookingLine({ rate_plan_name: 'n'.repeat(768) })),
})

const pull = async (query = '') => {
  const { status, page } = await feed.poll('con_1', `property_id=con_1&limit=100${query}`)
  expect(status).toBe(200)
  return page
}

describe('pages of large reservations', () => {
  it('stop before 4 MiB and continue where they stopped, and read no more than they serve', async () => {
    for (let id = 0; id < 60; id++) await feed.book([large(id, 300)])
    const bytesRead = countBytes()
    const seen: string[] = []
    let served = 0
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await pull(cursor === '' ? '' : `&cursor=${cursor}`)
      const size = Buffer.byteLength(JSON.stringify(page))
      expect(size).toBeLessThanOrEqual(4 * MIB)
      served += size
      seen.push(...page.reservations.map(({ reservation_id }) => reservation_id))
      cursor = page.pagination.next_cursor
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, id) => `RSV-${id}`))
    expect(served).toBeGreaterThan(16 * MIB)
    // Each page reads its own bodies and nothing of those after them.
    expect(bytesRead()).toBeLessThan(served * 1.05)
  })

  it('send a reservation larger than that alone', async () => {
    await feed.book([large(1, 1), large(2, 5_000), large(3, 1)])
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await pull(cursor === '' ? '' : `&cursor=${cursor}`)
      sizes.push(page.reservations.length)
      cursor = page.pagination.next_cursor
    }
    expect(sizes).toEqual([1, 1, 1])
  })
})

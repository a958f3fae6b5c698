import { eventually } from '@connectivity/testing/eventually'
import { catalog } from '@connectivity/testing/catalog'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
})
afterEach(() => feed.end())

const idsOf = async (connectionId: string) =>
  (await feed.page(connectionId)).reservations.map(({ reservation_id }) => reservation_id)
const headOf = async (connectionId: string) => {
  const { rows } = await feed.database.query<{ state: string; catalog: string | null }>(
    'SELECT state, catalog FROM feed_connection WHERE connection_id = $1',
    [connectionId],
  )
  return rows[0]!
}
const rowsThere = async () => (await feed.database.query('SELECT FROM feed_row')).rowCount
const agedBy = (days: number) =>
  feed.database.query(`UPDATE feed_connection SET closed_at = now() - make_interval(days => $1) - interval '1 s'`, [
    days,
  ])

describe('a disabled connection', () => {
  it('misses nothing: its feed and events continue, and all of it is there when it is enabled again', async () => {
    await feed.connect({ state: 'pilot' })
    await feed.takeCatalogs(catalog())
    await feed.connect({ state: 'disabled', version: 2 })
    await feed.book([{}, { reservation_id: 'RSV-2' }])
    await feed.connect({ state: 'pilot', version: 3 })
    expect(await idsOf('con_1')).toEqual(['RSV-1001', 'RSV-2'])
    expect(await feed.events()).toHaveLength(2)
  })
})

describe('a closed connection', () => {
  it('gets no further rows, while others of the property do', async () => {
    await feed.takeCatalogs(catalog(), catalog({ connection_id: 'con_2' }))
    await feed.connect({ state: 'closed', version: 5 })
    await feed.book([{}])
    expect(await idsOf('con_1')).toEqual([])
    expect(await idsOf('con_2')).toEqual(['RSV-1001'])
  })

  it('shows its status to operators alone', async () => {
    await feed.takeCatalogs(catalog())
    await feed.book([{}])
    await feed.connect({ state: 'closed', version: 5 })
    await expect(feed.statuses.of('con_1')).rejects.toMatchObject({ code: 'connection_disabled' })
    expect(await feed.statuses.ofKnown('con_1')).toMatchObject({ waiting: 1 })
  })

  it('stays closed when events arrive late or out of order', async () => {
    await feed.book([{}])
    await feed.connect({ state: 'closed', version: 5 }, { state: 'pilot', version: 2 })
    await feed.takeCatalogs(catalog())
    await feed.connect({ state: 'production', version: 6 })
    await feed.takeCatalogs(catalog({ catalog_version: 2 }))
    await feed.book([{ version: 2, guest_count: 3 }])
    expect(await headOf('con_1')).toMatchObject({ state: 'closed' })
    expect(await feed.connections.stale(feed.database, 10)).toEqual([])
    expect(await rowsThere()).toBe(0)
  })

  it('is not finished when it is closed while being filled', async () => {
    await feed.book(Array.from({ length: 1000 }, (_, index) => ({ reservation_id: `RSV-${index}` })))
    await feed.takeCatalogs(catalog())
    feed.start()
    await feed.connect({ state: 'closed', version: 2 })
    await feed.takeCatalogs(catalog({ connection_id: 'con_2' }))
    await eventually(async () => expect(await headOf('con_2')).toMatchObject({ state: 'live' }))
    expect(await headOf('con_1')).toMatchObject({ state: 'closed' })
  })

  it('stays closed when it is closed while its last rows are written', async () => {
    await feed.book([{}])
    await feed.takeCatalogs(catalog())
    await feed.connect({ state: 'closed', version: 2 })
    await feed.connections.markRendered(feed.database, 'con_1', 1)
    expect(await headOf('con_1')).toMatchObject({ state: 'closed' })
  })

  it('keeps its rows for the configured days, then loses them and its catalog for good', async () => {
    await feed.takeCatalogs(catalog(), catalog({ connection_id: 'con_2' }))
    await feed.book(Array.from({ length: 6000 }, (_, index) => ({ reservation_id: `RSV-${index}` })))
    await feed.connect({ state: 'closed', version: 2 })
    await agedBy(29)
    await feed.purge()
    expect(await rowsThere()).toBe(12_000)
    await agedBy(30)
    await feed.purge()
    expect(await rowsThere()).toBe(6000)
    expect(await headOf('con_1')).toEqual({ state: 'closed', catalog: null })
    await feed.rewind()
    await feed.connect({ state: 'pilot', version: 1 }, { state: 'closed', version: 2 })
    await feed.takeCatalogs(catalog())
    await feed.book([{}])
    expect(await idsOf('con_1')).toEqual([])
  })
})

import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import { catalog } from '@connectivity/testing/catalog'
import { type FeedInProcess, feedInProcess } from './feed-in-process.js'

const ROWS = 5_000
/** Rendered at once, these lead the clock by more than is allowed. */
const RENDERED = 3_500

let feed: FeedInProcess
beforeEach(async () => {
  feed = await feedInProcess()
})
afterEach(() => feed.end())

const clock = async () => {
  const { rows } = await feed.database.query<{ now: string }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  )
  return Number(rows[0]!.now)
}
const stampsOf = async (connectionId: string) => {
  const { rows } = await feed.database.query<{ stamp: string; reservation_id: string }>(
    'SELECT stamp, reservation_id FROM feed_row WHERE connection_id = $1 ORDER BY stamp',
    [connectionId],
  )
  return rows.map(({ stamp, reservation_id }) => ({ stamp: Number(stamp), id: reservation_id }))
}

describe(`a new connection with ${ROWS} existing bookings`, () => {
  it('is filled in chunks between live changes of all connections, without a stamp that leads the clock', async () => {
    const many = Array.from({ length: ROWS }, (_, index) => ({ reservation_id: `RSV-${index}` }))
    for (let from = 0; from < ROWS; from += 500) await feed.book(many.slice(from, from + 500))
    await feed.takeCatalogs(catalog({ connection_id: 'con_other', property_id: 'prop_2' }), catalog())
    feed.start()
    const leads: number[] = []
    let version = 1
    while ((await feed.connections.stale(feed.database, 1)).length > 0) {
      const live = { reservation_id: 'RSV-live', version: ++version, guest_count: version }
      await feed.book([{ ...live, property_id: 'prop_2' }, live])
      // The other partner sees each commit at once.
      expect((await feed.page('con_other')).reservations).toMatchObject([{ guest_count: version }])
      leads.push(await feed.connections.stampLead(feed.database, 'con_1'))
    }
    expect(version).toBeGreaterThan(5)
    expect(Math.max(...leads)).toBeLessThanOrEqual(0)
    const filled = await stampsOf('con_1')
    expect(filled.at(-1)!.stamp).toBeLessThanOrEqual(await clock())
    expect(filled.map(({ id }) => id).filter((id) => id !== 'RSV-live')).toEqual(
      many.map(({ reservation_id }) => reservation_id),
    )
    const created = (await feed.events()).filter(({ property_id }) => property_id === 'con_1')
    expect(created.filter(({ type }) => type === 'reservation.created')).toHaveLength(ROWS + 1)
    const places = created.flatMap(({ reservation_id }, place) => (reservation_id === 'RSV-live' ? [place] : []))
    expect(places.filter((place, index) => index > 0 && place > places[index - 1]! + 1).length).toBeGreaterThan(3)
  })

  it('answers 503 during the fill and everything afterwards', async () => {
    await feed.book([{}])
    await feed.takeCatalogs(catalog())
    expect(await feed.poll('con_1', 'property_id=con_1')).toMatchObject({
      status: 503,
      page: { error: { code: 'service_unavailable', retry_after_seconds: 2 } },
    })
    feed.start()
    await eventually(async () =>
      expect((await feed.poll('con_1', 'property_id=con_1')).page.reservations).toHaveLength(1),
    )
  })
})

describe('the first catalog of a connection', () => {
  it('leaves out no booking that is being projected when it arrives', async () => {
    feed.start()
    await feed.bookBeside([{}], () => feed.takeCatalogs(catalog()))
    await eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
    expect((await feed.page('con_1')).reservations).toHaveLength(1)
  })
})

describe('rendering a live connection again', () => {
  it('rests while its stamps lead the clock by two seconds', async () => {
    const many = Array.from({ length: RENDERED }, (_, index) => ({ reservation_id: `RSV-${index}` }))
    for (let from = 0; from < RENDERED; from += 500) await feed.book(many.slice(from, from + 500))
    await feed.takeCatalogs(catalog())
    feed.start()
    await eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
    const lead = () => feed.connections.stampLead(feed.database, 'con_1')
    await eventually(async () => expect(await lead()).toBeLessThan(0))
    await feed.takeCatalogs(catalog({ catalog_version: 2, external_property_id: 'PMS-200' }))
    let most = -Infinity
    while ((await feed.connections.stale(feed.database, 1)).length > 0) most = Math.max(most, await lead())
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(2_000 + 200)
    expect((await stampsOf('con_1')).length).toBe(RENDERED)
  })

  it('begins as soon as the connection has rested, without a further signal', async () => {
    await feed.book([{ reservation_id: 'RSV-1' }])
    feed.start()
    const times: number[] = []
    for (let version = 1; version <= 5; version++) {
      await feed.takeCatalogs(catalog({ catalog_version: version, external_property_id: `PMS-${version}` }))
      const from = performance.now()
      await eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
      times.push(performance.now() - from)
    }
    const [, , median] = times.sort((a, b) => a - b)
    expect(median).toBeLessThan(500)
  })

  it('puts rows right that are missing or wrong, and moves no other, when the rendered version is set to 0', async () => {
    await feed.book(['RSV-1', 'RSV-2', 'RSV-3'].map((reservation_id) => ({ reservation_id })))
    await feed.takeCatalogs(catalog())
    feed.start()
    const isRendered = () => eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
    await isRendered()
    const [untouched, , last] = await stampsOf('con_1')
    await feed.database.query("DELETE FROM feed_row WHERE reservation_id = 'RSV-2'")
    // docs/operations/backup.md
    await feed.database.query("UPDATE feed_connection SET rendered_version = 0 WHERE connection_id = 'con_1'")
    await isRendered()
    const after = await stampsOf('con_1')
    expect(after.map(({ id }) => id)).toEqual(['RSV-1', 'RSV-3', 'RSV-2'])
    expect(after[0]).toEqual(untouched)
    expect(after[1]).toEqual(last)
    expect((await feed.page('con_1')).reservations.map(({ reservation_id }) => reservation_id)).toContain('RSV-2')
  })

  it('rests after a rendering, and then shows only the latest catalog', async () => {
    await feed.book(Array.from({ length: 500 }, (_, index) => ({ reservation_id: `RSV-${index}` })))
    const isRendered = () => eventually(async () => expect(await feed.connections.stale(feed.database, 1)).toEqual([]))
    const take = (catalog_version: number) =>
      feed.takeCatalogs(catalog({ catalog_version, external_property_id: `PMS-${catalog_version}` }))
    await take(1)
    feed.start()
    await isRendered()
    await take(2)
    await isRendered()
    await take(3)
    await delay(30)
    await take(4)
    await isRendered()
    expect((await feed.page('con_1')).reservations[0]).toMatchObject({ external_property_id: 'PMS-4' })
    const changes = (await feed.events()).filter(({ type }) => type === 'reservation.modified')
    expect(changes).toHaveLength(2 * 500)
  })
})

describe('the places for filling and rendering', () => {
  it('include one for a new connection, which answers 503 meanwhile, when others rest for long', async () => {
    const resting = ['con_a', 'con_b', 'con_c', 'con_d']
    const catalogs = (version: number) =>
      resting.map((connection_id) =>
        catalog({ connection_id, catalog_version: version, external_property_id: `PMS-${version}` }),
      )
    await feed.takeCatalogs(...catalogs(1))
    await feed.book([{}])
    // Their stamps lead the clock by an hour, so that each of them holds its place.
    await feed.database.query('UPDATE feed_connection SET last_stamp = last_stamp + 3600000')
    await feed.takeCatalogs(...catalogs(2))
    feed.start()
    await feed.book([{ property_id: 'prop_2' }])
    await feed.takeCatalogs(catalog({ connection_id: 'con_new', property_id: 'prop_2' }))
    await eventually(async () =>
      expect((await feed.poll('con_new', 'property_id=con_new')).page.reservations).toHaveLength(1),
    )
    expect((await feed.connections.stale(feed.database, 10)).map(({ connectionId }) => connectionId)).toEqual(resting)
  })

  it('are not kept from a connection by more failing ones than one look finds', async () => {
    const failing = Array.from({ length: 60 }, (_, index) => `con_a${index}`)
    await feed.book([{}, { property_id: 'prop_2' }])
    await feed.database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON feed_row FOR EACH ROW WHEN (new.connection_id LIKE 'con_a%')
        EXECUTE FUNCTION refuse()`)
    await feed.takeCatalogs(...failing.map((connection_id) => catalog({ connection_id })))
    await feed.takeCatalogs(catalog({ connection_id: 'con_new', property_id: 'prop_2' }))
    feed.start()
    await eventually(async () =>
      expect((await feed.poll('con_new', 'property_id=con_new')).page.reservations).toHaveLength(1),
    )
    expect(await feed.connections.stale(feed.database, 100)).toHaveLength(failing.length)
  })
})

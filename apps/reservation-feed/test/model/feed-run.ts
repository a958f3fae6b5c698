import type { Booking } from '@connectivity/contracts/booking-events'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { Connection } from '@connectivity/contracts/connection-events'
import { eventually } from '@connectivity/testing/eventually'
import { PollingPartner } from '@connectivity/testing/partner'
import type { FeedInProcess, SentEvent } from '../feed-in-process.js'
import { type Action, bookingOf, catalogOf, connectionOf, CONNECTIONS, propertyOf } from './actions.js'
import { checkDigest } from './digest-rules.js'
import { checkEvents } from './event-rules.js'
import { FeedModel } from './feed-model.js'

/** High enough to leave a version for a late one too. */
const FIRST_CATALOG = 10

type Happening<D extends Action['do']> = Extract<Action, { do: D }>

/** One history applied to the feed and to the model, and what must hold at its end. */
export class FeedRun {
  private readonly run: string
  private readonly model = new FeedModel()
  private readonly partners = new Map<number, PollingPartner>()
  private readonly pulls = new Map<number, Promise<void>>()
  private readonly told = {
    bookings: [] as Booking[],
    connections: [] as Connection[],
    catalogs: [] as ConnectionCatalog[],
  }
  private readonly catalogVersions = new Map<number, number>()
  private readonly connectionVersions = new Map<number, number>()
  private readonly newRooms = new Set<number>()
  private readonly redelivered = new Map<number, number>()
  private readonly closedRows = new Map<number, unknown>()
  private readonly events: SentEvent[] = []

  /** @param number of the run, also its partition: runs share nothing but the process */
  constructor(
    private readonly feed: FeedInProcess,
    private readonly number: number,
  ) {
    this.run = String(number)
    for (const connection of CONNECTIONS) {
      const id = this.id(connection)
      this.partners.set(connection, new PollingPartner(id, (query) => feed.poll(id, query), 3))
    }
  }

  async live(actions: readonly Action[]): Promise<void> {
    for (const action of actions) await this.happen(action)
    await this.settle()
  }

  private happen(action: Action): Promise<unknown> {
    return (this.handlers[action.do] as (action: Action) => Promise<unknown>)(action)
  }

  private readonly handlers: { [D in Action['do']]: (action: Happening<D>) => Promise<unknown> } = {
    book: (action) => this.book(action),
    catalog: (action) => this.takeCatalogs(action),
    connect: (action) => this.connect(action),
    newRoom: async ({ property }) => this.newRooms.add(property),
    redeliver: (action) => this.redeliver(action),
    poll: async ({ connection }) => this.poll(connection),
    restart: () => this.feed.stop().then(() => this.feed.start()),
    replay: ({ size }) => this.replay(size),
  }

  private async book({ bookings, crash }: Happening<'book'>): Promise<void> {
    const given = bookings.map((drawn) => bookingOf(this.run, drawn))
    if (crash) await this.feed.crashWhileBooking(given, this.number)
    await this.feed.book(given, this.number)
    this.told.bookings.push(...given)
    for (const one of given) this.model.takeBooking(one)
  }

  private async takeCatalogs({ catalogs }: Happening<'catalog'>): Promise<void> {
    const given = catalogs.map((drawn) => {
      const newest = (this.catalogVersions.get(drawn.connection) ?? FIRST_CATALOG) + 1
      this.catalogVersions.set(drawn.connection, newest)
      return catalogOf(this.run, drawn, newest - 2 * drawn.late, this.newRooms.has(drawn.connection >> 1))
    })
    await this.feed.takeCatalogs(...given)
    this.told.catalogs.push(...given)
    for (const one of given.toSorted((a, b) => a.catalog_version - b.catalog_version)) this.model.takeCatalog(one)
  }

  private async connect({ connection, state, late }: Happening<'connect'>): Promise<void> {
    const known = this.connectionVersions.get(connection) ?? 0
    const repeated = late && known > 0
    const version = repeated ? known : known + 1
    if (state === 'closed') await this.pulls.get(connection)
    const given = { connection_id: this.id(connection), property_id: propertyOf(this.run, connection), state, version }
    await this.feed.connect(given)
    this.told.connections.push(given as Connection)
    this.connectionVersions.set(connection, version)
    if (state !== 'closed' || repeated || this.isClosed(connection)) return
    this.model.close(given.connection_id)
    this.closedRows.set(connection, await this.rows(connection))
  }

  private async redeliver({ connection, reservations }: Happening<'redeliver'>): Promise<void> {
    const id = this.id(connection)
    const ids = reservations && [...new Set(reservations)].map((number) => `R${number}`)
    const selection = ids ? { ids } : { from: '2026-01-01', to: null }
    const wanted = [...this.model.feedOf(id).keys()].filter((one) => ids === null || ids.includes(one))
    try {
      const accepted = await this.feed.database.transaction((tx) => this.feed.redelivery.accept(tx, id, selection))
      expect(this.isClosed(connection)).toBe(false)
      expect(accepted.reservations).toBe(wanted.length)
      this.redelivered.set(connection, (this.redelivered.get(connection) ?? 0) + wanted.length)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'invalid_transition') return expect(this.isClosed(connection)).toBe(true)
      if (code !== 'not_found' && code !== 'service_unavailable') throw error
    }
  }

  /** Lets partners pull, and compare what they hold, while other things happen. */
  private poll(connection: number): void {
    if (this.isClosed(connection) || !this.isKnown(connection)) return
    const partner = this.partners.get(connection)!
    const before = this.pulls.get(connection) ?? Promise.resolve()
    this.pulls.set(
      connection,
      before.then(() => partner.pull()).then(() => checkDigest(this.feed.digests, this.id(connection), partner)),
    )
  }

  /** Repeats every message that was ever sent. */
  private async replay(size: number): Promise<void> {
    const { bookings, connections, catalogs } = this.told
    await this.feed.rewind()
    for (let from = 0; from < bookings.length; from += size) {
      await this.feed.book(bookings.slice(from, from + size), this.number)
    }
    await this.feed.connect(...connections)
    await this.feed.takeCatalogs(...catalogs)
  }

  private async settle(): Promise<void> {
    await this.rest()
    await Promise.all(this.pulls.values())
    for (const connection of CONNECTIONS) await this.check(connection)
    const before = await this.allRows()
    await this.replay(5)
    await this.rest()
    expect(await this.allRows()).toEqual(before)
    expect(await this.feed.events()).toEqual([])
  }

  private async rest(): Promise<void> {
    await eventually(async () => {
      expect(await this.feed.connections.stale(this.feed.database, 10)).toEqual([])
      expect(await this.feed.redeliveryWaits()).toBe(false)
    })
    this.events.push(...(await this.feed.events()))
  }

  private async check(connection: number): Promise<void> {
    const id = this.id(connection)
    if (!this.isKnown(connection)) return expect((await this.feed.poll(id, `property_id=${id}`)).status).toBe(503)
    if (this.isClosed(connection)) return expect(await this.rows(connection)).toEqual(this.closedRows.get(connection))
    const fresh = new PollingPartner(id, (query) => this.feed.poll(id, query), 4)
    const partner = this.partners.get(connection)!
    await fresh.pull()
    await partner.pull()
    for (const each of [fresh, partner]) await checkDigest(this.feed.digests, id, each)
    expect([...fresh.violations, ...partner.violations]).toEqual([])
    const [seen, wanted] = [[...fresh.reservations], this.model.feedOf(id)]
    expect(fresh.reservations.size + fresh.problems.size).toBe(wanted.size)
    for (const [reservationId, shown] of seen) {
      expect(partner.reservations.get(reservationId)).toEqual(shown)
      expect({ reservation: { ...shown, updated_at: undefined } }).toEqual(wanted.get(reservationId))
    }
    for (const reservationId of fresh.problems) expect(wanted.get(reservationId)).toHaveProperty('problem')
    expect(partner.problems).toEqual(fresh.problems)
    this.checkEvents(connection, new Map(seen))
  }

  private checkEvents(connection: number, seen: ReadonlyMap<string, object>): void {
    const mine = this.events.filter(({ property_id }) => property_id === this.id(connection))
    const told = checkEvents(mine, this.redelivered.get(connection) ?? 0)
    for (const [reservationId, shown] of seen) {
      expect({ ...told.get(reservationId), updated_at: '' }).toEqual({ ...shown, updated_at: '' })
    }
  }

  private async rows(connection: number): Promise<unknown> {
    const { rows } = await this.feed.database.query(
      'SELECT reservation_id, stamp, body FROM feed_row WHERE connection_id = $1 ORDER BY stamp',
      [this.id(connection)],
    )
    return rows
  }

  private allRows(): Promise<unknown[]> {
    return Promise.all(CONNECTIONS.map((connection) => this.rows(connection)))
  }

  private id(connection: number): string {
    return connectionOf(this.run, connection)
  }

  /** Whether the feed has been sent the connection or a catalog of it. */
  private isKnown(connection: number): boolean {
    return this.connectionVersions.has(connection) || this.catalogVersions.has(connection)
  }

  private isClosed(connection: number): boolean {
    return this.model.closed.has(this.id(connection))
  }
}

import { randomUUID } from 'node:crypto'
import type { AriState, AriUpdateWrite, AriWrite, Restrictions } from '@connectivity/contracts/ari'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { dateOf, today } from '../src/calendar/calendar.js'
import type { AriProcess, Call } from './ari-process.js'
import { connectionCatalog } from './catalog.js'

const TIMEZONE = 'Europe/Berlin'

/** Returns the day at an offset from today at the property. */
export const day = (offset: number): string => dateOf(today(TIMEZONE, Date.now()) + offset)

export const unrestricted: Restrictions = {
  min_stay_arrival: null,
  min_stay_through: null,
  max_stay: null,
  closed_to_arrival: null,
  closed_to_departure: null,
  stop_sell: null,
}

/** Tomorrow and the two days after it. */
const days = () => ({ date_from: day(1), date_to: day(3) })

export const ofRoom = (availability: number, given: Partial<AriUpdateWrite> = {}): AriUpdateWrite => ({
  room_id: 'rm_1',
  ...days(),
  availability,
  ...given,
})

export const ofPlan = (given: Partial<AriUpdateWrite>, rate_plan_id = 'rp_flex'): AriUpdateWrite => ({
  room_id: 'rm_1',
  rate_plan_id,
  ...days(),
  ...given,
})

/** A separate property per test, with two connections; the second has mapped nothing. */
export class PropertyUnderTest {
  readonly connectionId: string
  readonly otherConnectionId: string
  readonly propertyId: string
  readonly catalog: ConnectionCatalog

  private constructor(
    private readonly ari: AriProcess,
    run: string,
  ) {
    this.connectionId = `con_${run}`
    this.otherConnectionId = `con_${run}_other`
    this.propertyId = `prop_${run}`
    this.catalog = connectionCatalog({
      connection_id: this.connectionId,
      property_id: this.propertyId,
      timezone: TIMEZONE,
    })
  }

  static async arrive(ari: AriProcess): Promise<PropertyUnderTest> {
    const property = new PropertyUnderTest(ari, randomUUID().slice(0, 8))
    const { catalog, otherConnectionId: connection_id } = property
    const unmapped = <E extends { external_id: string | null }>(entity: E): E => ({ ...entity, external_id: null })
    const [rooms, rate_plans] = [catalog.rooms.map(unmapped), catalog.rate_plans.map(unmapped)]
    await ari.catalogsArrive([catalog, { ...catalog, connection_id, rooms, rate_plans }])
    return property
  }

  /** Changes the catalog of the first connection. */
  changeCatalog(given: Partial<ConnectionCatalog>): Promise<void> {
    return this.ari.catalogsArrive([{ ...this.catalog, catalog_version: 2, ...given }])
  }

  body(...updates: AriUpdateWrite[]): AriWrite {
    return { property_id: this.connectionId, currency: 'EUR', updates }
  }

  write(...updates: AriUpdateWrite[]) {
    return this.ari.write(this.body(...updates))
  }

  writeWith(more: Call & { query?: string }, ...updates: AriUpdateWrite[]) {
    return this.ari.write(this.body(...updates), more)
  }

  state(from = 0, to = 91, connectionId = this.connectionId): Promise<AriState> {
    return this.ari.state(connectionId, day(from), day(to))
  }

  /** Messages to the booking engine so far. */
  published() {
    return this.ari.publishedFor(this.propertyId)
  }

  /** Returns revision and writer of each stored day, in the order of series and dates. */
  async writers(): Promise<[revision: number, connectionId: string][]> {
    const { rows } = await this.ari.sql.query<{ revision: string; connection_id: string }>(
      `SELECT cell.revision, connection_id FROM cell JOIN series USING (series_id) WHERE property_id = $1
        ORDER BY series_id, date`,
      [this.propertyId],
    )
    return rows.map(({ revision, connection_id }) => [Number(revision), connection_id])
  }
}

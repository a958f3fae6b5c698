// A new connection to a property with many bookings: duration of its filling, lead of its stamps over the clock, and
// freshness of other feeds meanwhile.
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { until } from '@connectivity/toolkit/until'
import { present } from '@connectivity/toolkit/present'
import { type Percentiles, percentiles } from '@connectivity/toolkit/statistics'
import type { Report } from '../report/report.ts'
import { withFeedAlone } from './alone.ts'
import { type FeedAddress, Identities, readPage } from './reader.ts'
import type { Sizes } from './sizes.ts'
import { booking, producerOf, type Source } from './source.ts'

const [LARGE, OTHER] = [
  { connection_id: 'con_large', property_id: 'prop_large' },
  { connection_id: 'con_other', property_id: 'prop_other' },
]
const PAUSE = 10
const WARM_UP = 10
const LIMIT = 300_000

/** Publishes a change of the other property at intervals and polls until it shows, one after the other. */
class LiveChanges {
  /** Time at which each version was seen. */
  readonly seen = new Map<number, number>()
  readonly #done: Promise<void>
  #sent = new Map<number, number>()
  #on = true

  constructor(reader: FeedAddress, producer: Source) {
    this.#done = this.#run(reader, producer)
  }

  /** Returns the changes sent since the previous call, with their times. */
  takeSent(): Map<number, number> {
    const sent = this.#sent
    this.#sent = new Map()
    return sent
  }

  stop(): Promise<void> {
    this.#on = false
    return this.#done
  }

  async #run(reader: FeedAddress, producer: Source): Promise<void> {
    let since = '1970-01-01T00:00:00.000Z'
    for (let version = 1; this.#on; version++) {
      this.#sent.set(version, performance.now())
      await producer.sendBookings([booking(OTHER.property_id, 0, { version })])
      while (!this.seen.has(version)) {
        const wanted = { connectionId: OTHER.connection_id, query: `updated_since=${since}` }
        const shown = (await readPage(reader, wanted)).reservations.at(-1)
        if (shown?.total_amount === 400.5 + version) this.seen.set(version, performance.now())
        since = shown?.updated_at ?? since
      }
      await delay(PAUSE)
    }
  }
}

/** Progress of the large connection. */
interface Lead {
  /** Lead of the last stamp over the clock, ms. */
  lead: string
  state: string
}

const leadOf = async (sql: Client): Promise<Lead> => {
  const { rows } = await sql.query<Lead>(
    `SELECT last_stamp - floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS lead, state
       FROM feed_connection WHERE connection_id = $1`,
    [LARGE.connection_id],
  )
  return rows[0] ?? { lead: '-Infinity', state: 'waiting' }
}

async function countBookings(sql: Client): Promise<number> {
  const text = 'SELECT count(*) FROM booking WHERE property_id = $1'
  const { rows } = await sql.query<{ count: string }>(text, [LARGE.property_id])
  return Number(present(rows[0], 'count').count)
}

/** Watches the filling to its end; resolves with its duration and the greatest lead of a stamp over the clock, ms. */
async function watchFilling(sql: Client): Promise<{ duration: number; most: number }> {
  let most = -Infinity
  let begin: number | undefined
  const isLive = async () => {
    const { lead, state } = await leadOf(sql)
    if (state !== 'waiting') begin ??= performance.now()
    if (state !== 'waiting' && Number(lead) > -1e12) most = Math.max(most, Number(lead))
    return state === 'live' && begin !== undefined ? { duration: performance.now() - begin } : undefined
  }
  const { duration } = await until(isLive, { within: LIMIT, every: 5, complaint: () => 'the filling did not end' })
  return { duration, most }
}

/** Times from sending a message until it was seen, ms, as percentiles; skips the first `from` messages. */
const freshnessOf = <Id>(sent: Map<Id, number>, seen: Map<Id, number>, from = 0): Percentiles =>
  percentiles([...sent].slice(from).map(([id, time]) => (seen.get(id) ?? NaN) - time))

export const measure = ({ bookings, seconds }: Sizes, report: Report): Promise<void> =>
  withFeedAlone(async (alone) => {
    const producer = await producerOf(alone.brokers)
    await alone.start()
    await producer.announce([OTHER])
    await producer.sendBookings(Array.from({ length: bookings }, (_, index) => booking(LARGE.property_id, index)))
    const haveArrived = async () => (await countBookings(alone.sql)) === bookings
    await until(haveArrived, { within: LIMIT, every: 20, complaint: () => 'the bookings did not arrive' })
    const reader = { origin: alone.origin, identities: new Identities(alone.identityKey) }
    const live = new LiveChanges(reader, producer)
    await delay(seconds * 250)
    const before = live.takeSent()
    await producer.announce([LARGE])
    const { duration, most } = await watchFilling(alone.sql)
    const during = live.takeSent()
    await live.stop()
    await producer.disconnect()
    const rows = [
      { name: 'before the filling', also: { ...freshnessOf(before, live.seen, WARM_UP), changes: before.size } },
      { name: 'while it goes on', also: { ...freshnessOf(during, live.seen), changes: during.size } },
    ]
    report.table({ title: 'live changes of another connection until they are seen, ms', rows })
    report.figure({ name: `filling ${bookings} bookings`, value: duration / 1000, unit: 's' })
    report.figure({ name: 'stamps, most ahead of the clock', value: most, unit: 'ms', atMost: 0 })
  })

// The way of one booking: when each step has happened, and the statements that it costs.
// Times come from the services' own spans, from the partner and from PostgreSQL's log.
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type CollectedSpan, TraceCollector } from '@connectivity/testing/trace-collector'
import { CallbackReceiver } from '@connectivity/toolkit/callback-receiver'
import type { DemoConnection } from '@connectivity/toolkit/hand-over'
import { type OwnStack, withOwnStack } from '@connectivity/toolkit/own-stack'
import { pullFeed } from '@connectivity/toolkit/partner'
import { present } from '@connectivity/toolkit/present'
import { percentiles } from '@connectivity/toolkit/statistics'
import { until } from '@connectivity/toolkit/until'
import { registerCallback } from '../dispatch/partner.ts'
import { inProduction, roomOf } from '../gateway.ts'
import type { Report } from '../report/report.ts'
import { now, PartnerReader } from './partner-readers.ts'
import type { Sizes } from './sizes.ts'
import { booking, producerOf, type Source } from './source.ts'
import { StatementLog } from './statement-log.ts'

const PER_SECOND = 20
/** Seconds before the first round: until then the JVM compiles Kafka's code. */
const WARM_UP = 40
const LIMIT = 30_000
/** Time in which the last booking arrives everywhere, ms. */
const LAST_STEPS = 1_000

/** A booking on its way; times in ms since 1970. */
interface Sent {
  id: string
  traceId: string
  at: number
  /** When Kafka had acknowledged it. */
  acknowledged: number
}

/** Steps of a booking in their usual order, each with its time, ms since 1970. */
type Steps = Record<string, number>

/** The parties around the system under test. */
interface Parties {
  demo: OwnStack
  connection: DemoConnection
  collector: TraceCollector
  source: Source
  /** Times at which the callback got the first event of a reservation, ms since 1970. */
  called: ReadonlyMap<string, number>
}

/** Publishes bookings at a steady pace, each in a message of its own. */
async function publish({ source, connection }: Parties, from: number, count: number): Promise<Sent[]> {
  const room = roomOf(connection)
  const sent: Sent[] = []
  for (let index = 0; index < count; index++) {
    const given = booking(connection.source_property_id, from + index, { room })
    const traceId = randomBytes(16).toString('hex')
    const at = now()
    const pause = delay(1000 / PER_SECOND)
    await source.sendBookings([given], `00-${traceId}-${randomBytes(8).toString('hex')}-01`)
    sent.push({ id: given.reservation_id, traceId, at, acknowledged: now() })
    await pause
  }
  return sent
}

/** One round with a partner who waits for changes: the steps of each booking. */
async function round(parties: Parties, from: number, seconds: number): Promise<Steps[]> {
  const { demo, connection, collector, called } = parties
  const reader = new PartnerReader(demo.base_url, connection, 'waiting', Date.now())
  const sent = await publish(parties, from, seconds * PER_SECOND)
  const stepsOf = ({ id, at, acknowledged }: Sent, trace: readonly CollectedSpan[]): Steps | null => {
    const [sight, arrived] = [reader.sights.get(id), called.get(id)]
    const spans = spansOf(trace)
    if (!sight || arrived === undefined || !spans) return null
    const { feed, relay, dispatch, attempt } = spans
    const times = {
      'Kafka has acknowledged the booking': acknowledged,
      'the feed begins its transaction': feed.beganAt,
      'the rows have their stamp': sight.stamp,
      'the feed has committed': feed.endedAt,
      'a waiting partner has the page': sight.seen,
      'the relay sends the event': relay.beganAt,
      'Kafka has acknowledged the event': relay.endedAt,
      'event dispatch begins its transaction': dispatch.beganAt,
      'event dispatch has committed': dispatch.endedAt,
      'event dispatch sends the request': attempt.beganAt,
      'the callback has the event': arrived,
    }
    return Object.fromEntries(Object.entries(times).map(([name, time]) => [name, time - at]))
  }
  /** Steps of the bookings that have gone all the way. */
  const known = (): Steps[] => {
    const traces = Map.groupBy(collector.spans, ({ traceId }) => traceId)
    return sent.map((one) => stepsOf(one, traces.get(one.traceId) ?? [])).filter((steps) => steps !== null)
  }
  const isComplete = () => known().length === sent.length
  // Checks take time from the receiver and the reader in this process.
  await delay(LAST_STEPS)
  await until(isComplete, { within: LIMIT, every: 500, complaint: () => 'some steps of a booking are unknown' })
  await reader.stop()
  return known()
}

/** The spans of a booking's way; null until all of them have arrived. */
function spansOf(
  trace: readonly CollectedSpan[],
): Record<'feed' | 'relay' | 'dispatch' | 'attempt', CollectedSpan> | null {
  const find = (service: string, name: string) => trace.find((span) => span.service === service && span.name === name)
  const feed = find('reservation-feed', 'process booking.reservations.v1')
  const relay = find('reservation-feed', 'send connectivity.reservation-events.v1')
  const dispatch = find('event-dispatch', 'process connectivity.reservation-events.v1')
  const attempt = find('event-dispatch', 'POST callback')
  return feed && relay && dispatch && attempt ? { feed, relay, dispatch, attempt } : null
}

async function withParties(work: (parties: Parties) => Promise<void>): Promise<void> {
  const collector = await new TraceCollector().start()
  const called = new Map<string, number>()
  const receiver = await new CallbackReceiver((event) => {
    const { reservation_id: id } = event as { reservation_id: string }
    if (!called.has(id)) called.set(id, now())
    return { status: 204 }
  }).start()
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }
  try {
    await withOwnStack(async (demo) => {
      const connection = await inProduction(demo)
      await pullFeed(demo.base_url, connection)
      await registerCallback(demo.base_url, connection, receiver.urlOf('/events'))
      const source = await producerOf(demo.kafka.brokers)
      await work({ demo, connection, collector, source, called })
      await source.disconnect()
    }, traced)
  } finally {
    receiver.stop()
    collector.stop()
  }
}

export const measure = ({ seconds }: Sizes, report: Report): Promise<void> =>
  withParties(async (parties) => {
    await round(parties, 0, WARM_UP)
    const all = await round(parties, WARM_UP * PER_SECOND, seconds)
    const rows = Object.keys(present(all[0], 'booking')).map((name) => {
      const { p50, p90, p99 } = percentiles(all.map((steps) => present(steps[name], name)))
      return { name, also: { p50, p90, p99 } }
    })
    report.table({ title: `one booking of ${PER_SECOND} a second, ms after the booking engine has sent it`, rows })
    const log = new StatementLog(parties.demo)
    await log.begin()
    const logged = await round(parties, (WARM_UP + seconds) * PER_SECOND, seconds)
    report.table({ title: 'statements of one booking, ms in PostgreSQL', rows: await log.end(logged.length) })
  })

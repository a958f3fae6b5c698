// Time from the booking engine's publish until a partner has received it through the gateway.
import { setTimeout as delay } from 'node:timers/promises'
import type { Booking } from '@connectivity/contracts/booking-events'
import { pullFeed } from '@connectivity/toolkit/partner'
import { until } from '@connectivity/toolkit/until'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { present } from '@connectivity/toolkit/present'
import { type Percentiles, percentiles } from '@connectivity/toolkit/statistics'
import { inProduction, roomOf } from '../gateway.ts'
import type { Report } from '../report/report.ts'
import { type HabitName, now, PartnerReader, PAUSE, type Sight } from './partner-readers.ts'
import type { Sizes } from './sizes.ts'
import { booking, producerOf, type Source } from './source.ts'

/** Load before the first round: until then the JVM compiles Kafka's code, which takes half a core. */
const WARM_UP = { perSecond: 200, seconds: 40 }
const LIMIT = 30_000

/** Aims for each pace, events/s, in ms. */
const paces = [
  { perSecond: 20, aims: { p50: 6 } },
  { perSecond: 200, aims: { p50: 10, p99: 60 } },
]
const readers: Record<HabitName, string> = {
  waiting: 'with a partner who waits for changes',
  polling: `with a partner who polls every ${PAUSE} ms`,
}

/** Batches messages that arrive while a send is in flight into the next one, as producers do. */
class SteadySender {
  readonly #producer: Source
  #waiting: Booking[] = []
  #running = Promise.resolve()

  constructor(producer: Source) {
    this.#producer = producer
  }

  send(given: Booking): void {
    this.#waiting.push(given)
    if (this.#waiting.length === 1) this.#running = this.#running.then(() => this.#flush())
  }

  done(): Promise<void> {
    return this.#running
  }

  #flush(): Promise<void> {
    return this.#producer.sendBookings(this.#waiting.splice(0))
  }
}

/** A steady load. */
interface Pace {
  perSecond: number
  seconds: number
}

/** Publishes at a steady rate; resolves with the time of each send, ms since 1970, by reservation id. */
async function publishSteadily(
  producer: Source,
  next: () => Booking,
  { perSecond, seconds }: Pace,
): Promise<Map<string, number>> {
  const sent = new Map<string, number>()
  const sender = new SteadySender(producer)
  const begin = performance.now()
  for (let index = 0; index < perSecond * seconds; index++) {
    const wait = begin + (index * 1000) / perSecond - performance.now()
    if (wait > 1) await delay(wait)
    const given = next()
    sent.set(given.reservation_id, now())
    sender.send(given)
  }
  await sender.done()
  return sent
}

/** Times of the stages of a change, ms. */
interface Stages {
  /** From the publish to the stamp. */
  stamped: Percentiles
  /** From the stamp to the partner. */
  fetched: Percentiles
  /** From the publish to the partner. */
  seen: Percentiles
}

function stagesOf(sent: Map<string, number>, sights: Map<string, Sight>): Stages {
  const times = [...sent].map(([id, at]) => ({ at, ...present(sights.get(id), id) }))
  return {
    stamped: percentiles(times.map(({ at, stamp }) => stamp - at)),
    fetched: percentiles(times.map(({ stamp, seen }) => seen - stamp)),
    seen: percentiles(times.map(({ at, seen }) => seen - at)),
  }
}

const stageNames: Record<keyof Stages, string> = {
  stamped: 'publish → stamp',
  fetched: 'stamp → partner',
  seen: 'publish → partner',
}

function reportStages(report: Report, title: string, stages: Stages): void {
  const rows = Object.entries(stageNames).map(([key, name]) => ({ name, also: { ...stages[key as keyof Stages] } }))
  report.table({ title: `${title}, ms`, rows })
}

export const measure = ({ seconds }: Sizes, report: Report): Promise<void> =>
  withOwnStack(async (demo) => {
    const connection = await inProduction(demo)
    const room = roomOf(connection)
    let count = 0
    const next = () => booking(connection.source_property_id, count++, { room })
    await pullFeed(demo.base_url, connection)
    const producer = await producerOf(demo.kafka.brokers)
    const round = async (habit: HabitName, pace: Pace): Promise<Stages> => {
      const reader = new PartnerReader(demo.base_url, connection, habit, Date.now())
      const sent = await publishSteadily(producer, next, pace)
      const isAllSeen = () => [...sent.keys()].every((id) => reader.sights.has(id))
      await until(isAllSeen, { within: LIMIT, every: 20, complaint: () => 'some published bookings were not seen' })
      await reader.stop()
      return stagesOf(sent, reader.sights)
    }
    await round('waiting', WARM_UP)
    for (const { perSecond, aims } of paces) {
      for (const [habit, name] of Object.entries(readers) as [HabitName, string][]) {
        const stages = await round(habit, { perSecond, seconds })
        const title = `${perSecond} events/s, ${name}`
        reportStages(report, title, stages)
        for (const [key, atMost] of Object.entries(aims)) {
          const value = stages.seen[key as keyof Percentiles]
          report.figure({ name: `${title}, ${key}`, value, unit: 'ms', atMost })
        }
      }
    }
    await producer.disconnect()
  })

// Cost of a signed GET through gateway and feed, compared with one and two bare processes that answer the same bytes.
import type { Booking } from '@connectivity/contracts/booking-events'
import { publish } from '../../deploy/local/demo/booking-engine.ts'
import type { DemoConnection } from '@connectivity/toolkit/hand-over'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { pullFeed, type SigningKey } from '@connectivity/toolkit/partner'
import { propertyOf } from '../../deploy/local/demo/properties.ts'
import { until } from '@connectivity/toolkit/until'
import { gatewayNodeOptions } from '../../deploy/local/services/environment.ts'
import { type OwnStack, withOwnStack } from '@connectivity/toolkit/own-stack'
import { withBareProcesses } from './bare.ts'
import type { CpuTimes } from '@connectivity/toolkit/cpu'
import { applicationOf, connectionOf } from './demo.ts'
import { load, type Poll, signedPoll } from './load.ts'
import { comparePilot } from './pilot.ts'
import { inTurn, present } from '@connectivity/toolkit/present'
import type { Report, Row } from './report/report.ts'
import { reportProfile } from './profile-table.ts'
import { type Candidate, inRounds, type Round, SECONDS } from './rounds.ts'

const ROWS = 1_000
const EPOCH = '1970-01-01T00:00:00.000Z'

/** One of the candidates that are compared. */
type Side = Omit<Candidate, 'poll'> & { name: string }

/** A kind of request. */
interface Subject {
  name: string
  /** Queries that are sent in turn. */
  queries: readonly string[]
  aims: Partial<Aims>
}

/** Aims of a kind of request. */
interface Aims {
  /** CPU of all processes, µs. */
  atMost: number
  /** Share of what one bare process needs. */
  ofOne: number
  /** Share of what two bare processes need. */
  ofTwo: number
}

/** A booking without what the booking engine may leave out. */
const booking = (property_id: string, room_id: string, index: number): Booking => ({
  reservation_id: `BENCH-${index}`,
  property_id,
  version: 1,
  status: 'confirmed',
  check_in: '2027-01-01',
  check_out: '2027-01-03',
  ...{ created_at: null, guest_count: null },
  guest: { first_name: 'Ada', last_name: 'Lovelace', full_name: null, email: 'ada@example.com', phone: null },
  ...{ currency: 'EUR', total_amount: '412.50', paid_amount: null },
  accommodation: [
    {
      ...{ room_id, rate_plan_id: null, rate_plan_name: null, quantity: 1, beds: null, bed_type: null },
      ...{ room_number: null, room_type: null, is_dorm: null, adults: 2, children: 0 },
    },
  ],
  special_requests: 'x'.repeat(120),
})

/**
 * Sets up the first connection like a certified partner's: without limits, and in production, because the pages of a
 * pilot are also graded.
 */
export async function inProduction(demo: OwnStack): Promise<DemoConnection> {
  const api = new OperatorsApi(demo.ops.base_url, demo.ops.token, 'benchmark')
  const application = applicationOf(demo)
  const connection = connectionOf(application)
  await api.liftLimits(application.application_id)
  await api.transition(connection.property_id, 'certification_pending', 'production')
  return connection
}

/** A room of the connection's property. */
export function roomOf({ source_property_id: id }: DemoConnection): string {
  const { snapshot } = present(propertyOf(id), `property ${id}`)
  return present(snapshot.rooms[0], `room of ${id}`).room_id
}

/** Fills the feed with rows of about 800 bytes each, so that a page of 50 is about 40 KB. */
async function prepare(demo: OwnStack): Promise<DemoConnection> {
  const { base_url, kafka } = demo
  const connection = await inProduction(demo)
  const known = present((await pullFeed(base_url, connection)).reservations, 'answer of the feed').size
  const room = roomOf(connection)
  const bookings = Array.from({ length: ROWS }, (_, index) => booking(connection.source_property_id, room, index))
  await publish(kafka.brokers, { bookings })
  const arrived = async () => (await pullFeed(base_url, connection)).reservations?.size ?? 0
  const haveArrived = async () => (await arrived()) >= known + ROWS
  await until(haveArrived, { within: 60_000, every: 200, complaint: () => 'the bookings did not reach the feed' })
  return connection
}

/** The first millisecond without a change: where a partner that is up to date polls from. */
async function afterLastStamp({ base_url }: OwnStack, connection: DemoConnection): Promise<string> {
  const { reservations } = await pullFeed(base_url, connection)
  const stamps = [...present(reservations, 'answer of the feed').values()].map(({ updated_at }) =>
    Date.parse(updated_at),
  )
  return new Date(Math.max(...stamps) + 1).toISOString()
}

const row = (name: string, { cpu, count, bytes, p50, p99 }: Round): Row => ({
  name,
  cpu,
  also: { 'requests/s': count / SECONDS, 'p50, ms': p50, 'p99, ms': p99, bytes },
})

/** Polls with these queries in turn. */
function pollsOf(queries: readonly string[], signing: SigningKey): () => Poll {
  let sent = 0
  return () => signedPoll(inTurn(queries, sent++), signing)
}

/** @returns CPU time of each process of the last side, per request */
async function compare(
  { name, queries, aims }: Subject,
  sides: readonly Side[],
  signing: SigningKey,
  report: Report,
): Promise<CpuTimes> {
  const poll = pollsOf(queries, signing)
  const rounds = await inRounds(sides.map((side) => ({ ...side, poll })))
  const rows = rounds.map((round, index) => row(inTurn(sides, index).name, round))
  report.table({ title: `${name} through gateway and feed`, unit: 'µs per request', rows })
  const [bare = NaN, hop = NaN, whole = NaN] = rounds.map(({ sum }) => sum)
  report.figure({ name: `${name}, share of one bare process`, value: bare / whole, atLeast: aims.ofOne })
  report.figure({ name: `${name}, share of two bare processes`, value: hop / whole, atLeast: aims.ofTwo })
  report.figure({ name: `${name}, all processes`, value: whole, unit: 'CPU µs', atMost: aims.atMost })
  return present(rounds.at(-1), 'side').cpu
}

/** Reports CPU microseconds per request and the ratio to the floor, lower quartile of interleaved rounds. */
export async function bench(_options: string[], report: Report): Promise<void> {
  await withOwnStack(async (demo) => {
    const connection = await prepare(demo)
    await withBareProcesses(async (start) => {
      const DATABASE_URL = demo.postgres['reservation-feed']
      const floor = await start(new URL('floor.ts', import.meta.url), { DATABASE_URL })
      const asTheGateway = { ORIGIN: floor.origin, NODE_OPTIONS: gatewayNodeOptions }
      const hop = await start(new URL('hop.ts', import.meta.url), asTheGateway)
      const pid = (name: keyof OwnStack['processes']) => demo.processes[name].pid
      const PostgreSQL = pid('postgres')
      const ofFloor = { floor: floor.pid, PostgreSQL }
      const ofStack = { gateway: pid('gateway'), feed: pid('reservation-feed'), PostgreSQL, Redis: pid('redis') }
      const sides = [
        { name: 'one bare process', origin: floor.origin, pids: ofFloor },
        { name: 'two bare processes', origin: hop.origin, pids: { hop: hop.pid, ...ofFloor } },
        { name: 'gateway + feed', origin: demo.base_url, pids: ofStack },
      ]
      const query = (since: string) => `property_id=${connection.property_id}&updated_since=${since}`
      const compared = (subject: Subject) => compare(subject, sides, connection.signing, report)
      const page = [query(EPOCH)]
      const cpu = await compared({ name: 'page of 50', queries: page, aims: { atMost: 480, ofOne: 0.5, ofTwo: 0.8 } })
      const next = query(await afterLastStamp(demo, connection))
      await compared({ name: 'idle poll', queries: [next], aims: { atMost: 240, ofOne: 0.5, ofTwo: 0.7 } })
      // The gateway repeats the answer to the last query only.
      await compared({ name: 'idle poll that asks the feed', queries: [next, `${next}&limit=49`], aims: {} })
      await comparePilot(demo, connection, ofStack, report)
      const profiled = [
        { name: 'gateway', pid: ofStack.gateway },
        { name: 'feed', pid: ofStack.feed },
      ]
      const work = () => load(demo.base_url, pollsOf(page, connection.signing), SECONDS)
      await reportProfile(report, 'page of 50', profiled, { cpu, unit: 'µs per request' }, work)
    })
  })
}

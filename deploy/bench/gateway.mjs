// Cost of a signed GET through gateway and feed, compared with one and two bare processes that answer the same bytes.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { publish } from '../local/demo/booking-engine.mjs'
import { OperatorsApi } from '../local/demo/operators-api.mjs'
import { pullFeed } from '../local/demo/partner.mjs'
import { propertyOf } from '../local/demo/properties.mjs'
import { until } from '../local/machine/until.mjs'
import { gatewayNodeOptions } from '../local/services/environment.mjs'
import { cpuBetween, cpuOf } from './cpu.mjs'
import { load, signedPoll } from './load.mjs'
import { withOwnStack } from '../local/start/own-stack.mjs'
import { sumOf } from './report/report.mjs'
import { lowerQuartile } from './statistics.mjs'

const ROWS = 1_000
const ROUNDS = 4
const SECONDS = 5
const WARM_UP = 4
const EPOCH = '1970-01-01T00:00:00.000Z'
const FUTURE = '2999-01-01T00:00:00.000Z'

const booking = (property_id, index) => ({
  reservation_id: `BENCH-${index}`,
  property_id,
  version: 1,
  status: 'confirmed',
  check_in: '2027-01-01',
  check_out: '2027-01-03',
  guest: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
  currency: 'EUR',
  total_amount: '412.50',
  accommodation: [{ room_id: null, quantity: 1, adults: 2 }],
})

/**
 * Sets up the first connection like a certified partner's: without limits, and in production, because the pages of a
 * pilot are also graded.
 */
export async function inProduction({ ops, applications: [{ application_id, connections }] }) {
  const api = new OperatorsApi(ops.base_url, ops.token)
  await api.liftLimits(application_id)
  await api.transition(connections[0].property_id, 'certification_pending', 'production')
  return connections[0]
}

/** Rows of about 800 bytes each, so that a page of 50 is about 40 KB. */
async function prepare(demo) {
  const { base_url, kafka } = demo
  const connection = await inProduction(demo)
  const known = [...(await pullFeed(base_url, connection)).reservations.values()]
  const room = propertyOf(connection.source_property_id).snapshot.rooms[0].room_id
  const bookings = Array.from({ length: ROWS }, (_, index) => {
    const given = booking(connection.source_property_id, index)
    given.accommodation[0].room_id = room
    return { ...given, special_requests: 'x'.repeat(120) }
  })
  await publish(kafka.brokers, { bookings })
  const haveArrived = async () => (await pullFeed(base_url, connection)).reservations?.size >= known.length + ROWS
  await until(haveArrived, { within: 60_000, every: 200, complaint: () => 'the bookings did not reach the feed' })
  return connection
}

/** Starts one of the bare processes. */
async function startBare(url, env) {
  const child = fork(fileURLToPath(url), { env: { ...process.env, ...env } })
  const [port] = await once(child, 'message')
  return { child, origin: `http://127.0.0.1:${port}` }
}

/** Measures one round: CPU microseconds per request of each process, and the client's figures. */
async function measure({ pids, origin }, poll) {
  const before = cpuOf(pids)
  const seen = await load(origin, poll, SECONDS)
  const cpu = cpuBetween(before, cpuOf(pids), seen.count)
  return { ...seen, cpu, sum: sumOf(cpu) }
}

const row = (name, { cpu, count, bytes, p50, p99 }) => ({
  name,
  cpu,
  also: { 'requests/s': count / SECONDS, 'p50, ms': p50, 'p99, ms': p99, bytes },
})

async function compare({ name, query, atMost }, sides, signing, report) {
  const poll = () => signedPoll(query, signing)
  for (const { origin } of sides) await load(origin, poll, WARM_UP)
  const rounds = new Map(sides.map((side) => [side, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const side of sides) rounds.get(side).push(await measure(side, poll))
  const measured = sides.map((side) => ({ side, ...lowerQuartile(rounds.get(side), ({ sum }) => sum) }))
  const rows = measured.map(({ side, ...seen }) => row(side.name, seen))
  report.table({ title: `${name} through gateway and feed`, unit: 'µs per request', rows })
  const [bare, hop, whole] = measured
  report.figure({ name: `${name}, share of the floor`, value: bare.sum / whole.sum, atLeast: 0.5 })
  report.figure({ name: `${name}, share of the floor that two bare processes reach`, value: bare.sum / hop.sum })
  report.figure({ name: `${name}, all processes`, value: whole.sum, unit: 'CPU µs', atMost })
}

/** CPU microseconds per request and the ratio to the floor, lower quartile of interleaved rounds. */
export async function bench(_options, report) {
  await withOwnStack(async (demo) => {
    const connection = await prepare(demo)
    const children = []
    const start = async (url, env) => {
      const { child, origin } = await startBare(url, env)
      children.push(child)
      return { child, origin }
    }
    try {
      const DATABASE_URL = demo.postgres['reservation-feed']
      const floor = await start(new URL('floor.mjs', import.meta.url), { DATABASE_URL })
      const asTheGateway = { ORIGIN: floor.origin, NODE_OPTIONS: gatewayNodeOptions }
      const hop = await start(new URL('hop.mjs', import.meta.url), asTheGateway)
      const pid = (name) => demo.processes[name].pid
      const PostgreSQL = pid('postgres')
      const ofFloor = { floor: floor.child.pid, PostgreSQL }
      const ofStack = { gateway: pid('gateway'), feed: pid('reservation-feed'), PostgreSQL, Redis: pid('redis') }
      const sides = [
        { name: 'one bare process', origin: floor.origin, pids: ofFloor },
        { name: 'two bare processes', origin: hop.origin, pids: { hop: hop.child.pid, ...ofFloor } },
        { name: 'gateway + feed', origin: demo.base_url, pids: ofStack },
      ]
      const query = (since) => `property_id=${connection.property_id}&updated_since=${since}`
      const { signing } = connection
      await compare({ name: 'page of 50', query: query(EPOCH), atMost: 480 }, sides, signing, report)
      await compare({ name: 'idle poll', query: query(FUTURE), atMost: 240 }, sides, signing, report)
    } finally {
      for (const child of children) child.kill()
    }
  })
}

import { setTimeout as delay } from 'node:timers/promises'
import { keepFigures, takesFigures } from '@connectivity/testing/figures'
import { eventually } from '@connectivity/testing/eventually'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { percentiles } from '@connectivity/toolkit/statistics'
import { Pool } from 'undici'
import { GatewayProcess } from './gateway-process.js'
import { type SigningKey, signatureHeaders } from './partner.js'

/** Requests per second, few enough for the sender to keep pace while other suites load the machine. */
const PER_SECOND = takesFigures ? 3_000 : 50
const PAUSE_SECONDS = takesFigures ? 30 : 8
const QUIET_SECONDS = takesFigures ? 10 : 2
/** Interval at which requests that are due are sent, ms. */
const TICK = 10
const CONNECTIONS = 64

interface Sender {
  key: SigningKey
  target: string
}

/** Answers to requests sent at an even pace. */
interface Sent {
  statuses: Record<number, number>
  /** Times from the moment at which a request was due until its answer, ms. */
  latencies: number[]
}

/** Sends signed requests, each at its time, whether or not earlier ones are answered. */
async function sendFor(seconds: number, pool: Pool, { key, target }: Sender): Promise<Sent> {
  const sent: Sent = { statuses: {}, latencies: [] }
  const begun = performance.now()
  const one = async (due: number) => {
    const headers = signatureHeaders(key, target)
    const { statusCode, body } = await pool.request({ method: 'GET', path: target, headers })
    await body.dump()
    sent.statuses[statusCode] = (sent.statuses[statusCode] ?? 0) + 1
    sent.latencies.push(performance.now() - due)
  }
  const running: Promise<void>[] = []
  const all = seconds * PER_SECOND
  while (running.length < all) {
    const dueBy = Math.min(all, ((performance.now() - begun) / 1000) * PER_SECOND)
    while (running.length < dueBy) running.push(one(begun + (running.length / PER_SECOND) * 1000))
    await delay(TICK)
  }
  await Promise.all(running)
  return sent
}

describe('the request log while the database stands still', () => {
  const gateway = new GatewayProcess()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())

  /** Requests that entries stand for. */
  const written = async (): Promise<number> => {
    const [row] = await gateway.sql<{ n: number }>(
      'SELECT coalesce(sum(repeated), 0)::integer AS n FROM logged_request',
    )
    return row!.n
  }
  const dropped = async (): Promise<number> => {
    const lines = (await gateway.metrics())
      .split('\n')
      .filter((line) => line.startsWith('connectivity_request_log_dropped_total{'))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }

  it('delays no request, counts every entry that it leaves out, and goes on', async () => {
    gateway.feed.script = (_request, response) => response.end('{"rooms":[]}')
    const { key, connectionId } = await gateway.partner()
    const sender = { key, target: `${BASE_PATH}/catalog/rooms?property_id=${connectionId}` }
    const pool = new Pool(gateway.origin, { connections: CONNECTIONS })
    await sendFor(QUIET_SECONDS, pool, sender)
    const quiet = await sendFor(QUIET_SECONDS, pool, sender)
    gateway.databasePath.stall()
    const restored = delay(PAUSE_SECONDS * 1000).then(() => gateway.databasePath.restore())
    const paused = await sendFor(PAUSE_SECONDS, pool, sender)
    await restored
    const after = await sendFor(QUIET_SECONDS, pool, sender)
    await pool.close()
    const count = PER_SECOND * (3 * QUIET_SECONDS + PAUSE_SECONDS)
    for (const { statuses } of [quiet, paused, after]) expect(Object.keys(statuses)).toEqual(['200'])
    await eventually(async () => expect((await written()) + (await dropped())).toBe(count))
    keepFigures('request log without database', {
      ...Object.fromEntries(
        Object.entries({ quiet, paused, after }).map(([name, { latencies }]) => [name, percentiles(latencies)]),
      ),
      ...{ sent: count, written: await written(), dropped: await dropped() },
    })
    expect(percentiles(paused.latencies).p50).toBeLessThan(1_000)
  }, 180_000)
})

import { setTimeout as sleep } from 'node:timers/promises'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { keepFigures } from '@connectivity/testing/figures'
import { eventually } from '@connectivity/testing/eventually'
import { AnswerMemory } from '../src/forwarding/answers/answer-memory.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Partner, signatureHeaders } from './partner.js'
import { RealFeed, RESERVATIONS } from './real-feed.js'
import { headOf, RawClient } from './raw-client.js'

const MIB = 1024 * 1024
/** The largest group of applications whose clients read slowly. */
const APPLICATIONS = 10
const READERS = 16
const POLLS = 200
/** Rounds of polls beside the readers. Readers that delay others delay every round; another suite's load does not. */
const ROUNDS = 3
/**
 * Delay that concurrent test suites add to the median and to the slowest polls, ms. When slow readers blocked the feed,
 * every poll took 10 s; the faults of the group `isolation` check their cost on a quiet machine.
 */
const noise = { 0.5: 25, 0.99: 2_000 }

/** A client of one application and its connection. */
interface Client {
  partner: Partner
  connection: string
}

const percentile = (latencies: readonly number[], share: number): number =>
  latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length * share)]!

describe('slow readers of large pages of the feed', () => {
  const gateway = new GatewayUnderTest()
  const feed = new RealFeed()
  let slow: Client[]
  let healthy: Client
  let memory: AnswerMemory
  const rawClients: RawClient[] = []

  const client = async (): Promise<Client> => {
    const application = await gateway.approvedApplication()
    const limit = { per_minute: 1_000_000, burst: 1_000_000 }
    const limits = { feed: limit, reads: limit, ari: limit, mutations: limit, token: limit }
    await gateway.ops('PUT', `/applications/${application}/limits`, { limits, reason: 'test' })
    const connection = await gateway.pilotConnection(application)
    return { partner: gateway.partner(await gateway.signingKey(connection)), connection }
  }

  beforeAll(async () => {
    await gateway.start({ RESERVATION_FEED_URL: await feed.start() })
    memory = gateway.app.get(AnswerMemory, { strict: false })
    slow = []
    for (let index = 0; index < APPLICATIONS; index++) slow.push(await client())
    healthy = await client()
    await feed.fill([...slow, healthy].map(({ connection }) => connection))
    await eventually(async () => expect((await page(healthy, 100)).length).toBe(RESERVATIONS))
  })
  afterEach(async () => {
    for (const { socket } of rawClients.splice(0)) socket.destroy()
    await eventually(() => expect(memory.keptBytes).toBe(0))
  })
  afterAll(async () => {
    await gateway.stop()
    await feed.stop()
  })

  const page = async ({ partner, connection }: Client, limit: number) => {
    const { status, json } = await partner.get(`/reservations?property_id=${connection}&limit=${limit}`)
    expect(status).toBe(200)
    return (json as { reservations: unknown[] }).reservations
  }

  /** Latencies of polls one after the other and the CPU time that all of them take, ms. */
  const polls = async (count = POLLS) => {
    const latencies: number[] = []
    const before = process.cpuUsage()
    for (let index = 0; index < count; index++) {
      const begin = performance.now()
      await page(healthy, 1)
      latencies.push(performance.now() - begin)
    }
    const { user, system } = process.cpuUsage(before)
    return { latencies, cpu: (user + system) / 1_000 }
  }

  /** Asks for the largest page and reads nothing of it. */
  const stall = async ({ partner, connection }: Client): Promise<void> => {
    const target = `${BASE_PATH}/reservations?property_id=${connection}&limit=100`
    const raw = await RawClient.open(gateway.publicOrigin)
    rawClients.push(raw)
    raw.socket.on('error', () => undefined).pause()
    const headers = Object.entries(signatureHeaders(partner.key, target)).map(([name, value]) => `${name}: ${value}`)
    // The system's buffers take the whole first answer; the second one has to wait.
    const head = headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...headers)
    await raw.send(head + head)
  }

  /** Waits until the feed has answered every reader that may keep an answer. */
  const settled = async (): Promise<void> => {
    for (let kept = -1; kept !== memory.keptBytes; await sleep(1_000)) kept = memory.keptBytes
  }

  it.each([2, 3, APPLICATIONS])(
    'of %d applications neither delay other callers nor fill the memory',
    async (applications) => {
      const before = await polls()
      const given = slow.slice(0, applications).flatMap((one) => Array.from({ length: READERS }, () => one))
      await Promise.all(given.map(stall))
      // Their pages cost the feed as much as any others; the test measures only the time after that.
      await eventually(() => expect(memory.keptBytes).toBeGreaterThan(16 * MIB))
      await settled()
      expect(memory.keptBytes).toBeLessThan(96 * MIB)
      const during: { latencies: number[]; cpu: number }[] = []
      for (let round = 0; round < ROUNDS; round++) during.push(await polls())
      for (const { socket } of rawClients.splice(0)) socket.destroy()
      await eventually(() => expect(memory.keptBytes).toBe(0))
      const undisturbed = [before, await polls()]
      for (const share of [0.5, 0.99] as const) {
        const usual = Math.max(...undisturbed.map(({ latencies }) => percentile(latencies, share)))
        const least = Math.min(...during.map(({ latencies }) => percentile(latencies, share)))
        expect(least).toBeLessThan(2 * usual + noise[share])
      }
      keepFigures(`slow readers of ${applications} applications`, { undisturbed, during })
    },
    60_000,
  )
})

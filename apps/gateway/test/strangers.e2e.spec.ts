import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { keepFigures } from '@connectivity/testing/figures'
import { GatewayProcess } from './gateway-process.js'
import { now, type Partner, signatureHeaders } from './partner.js'
import { headOf } from './wire.js'

const MIB = 1024 * 1024
const KIB = 1024
/** Milliseconds of one tick in /proc. */
const TICK = 10
/** Duration of an attack and pause between two calls of the partner, ms. */
const ATTACK = 4_000
const PAUSE = 10

interface Seen {
  connected: number
  ended: number
  /** Answers by status. */
  answers: Record<string, number>
}

describe('strangers', () => {
  let gateway: GatewayProcess
  let partner: Partner

  beforeAll(async () => {
    gateway = await new GatewayProcess().start({ FAILED_AUTH_PER_MINUTE: '30', LOG_LEVEL: 'info' })
    partner = await gateway.partner()
    for (let calls = 0; calls < 100; calls++) await partner.get('/properties')
  })
  afterAll(() => gateway.stop())

  const memory = () =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.process.pid}/status`, 'utf8'))![1]) * KIB
  const cpu = () => {
    const [, , ...fields] = readFileSync(`/proc/${gateway.process.pid}/stat`, 'utf8').split(/\) | /).slice(1)
    return (Number(fields[10]) + Number(fields[11])) * TICK
  }

  /** Measures the partner's calls and the process for `duration` ms: times in ms, memory in MiB. */
  async function watch(duration: number) {
    const [times, until, before, cpuBefore] = [[] as number[], performance.now() + duration, memory(), cpu()]
    let [most, failed] = [before, 0]
    while (performance.now() < until) {
      const began = performance.now()
      const { status } = await partner.get('/properties')
      if (status !== 200) failed += 1
      times.push(performance.now() - began)
      most = Math.max(most, memory())
      await delay(PAUSE)
    }
    times.sort((a, b) => a - b)
    const at = (share: number) => times[Math.floor(times.length * share)]!
    return { failed, p50: at(0.5), p99: at(0.99), growth: (most - before) / MIB, cpu: cpu() - cpuBefore }
  }

  async function attacked(name: string, attack: object, duration = ATTACK) {
    const workerData = { port: gateway.publicPort, perAddress: 200, bytes: 0, again: false, ...attack }
    const quiet = await watch(ATTACK / 4)
    const worker = new Worker(new URL('strangers.worker.ts', import.meta.url), { workerData })
    const beside = await watch(duration)
    worker.postMessage('stop')
    const [seen] = (await once(worker, 'message')) as [Seen]
    await worker.terminate()
    keepFigures(`strangers, ${name}`, { quiet, beside, seen })
    return { quiet, beside, seen }
  }

  const lines = (headers: object) => Object.entries(headers).map(([name, value]) => `${name}: ${value as string}`)
  const invented = () => `key_${randomBytes(12).toString('hex')}`
  const forged = (key_id: string) =>
    lines(signatureHeaders({ key_id, signing_secret: 'x' }, `${BASE_PATH}/ari`, { method: 'POST' }))

  it('cost less than 60 ms of CPU for a connection that sends 20 token requests with 16 KiB of JSON each', async () => {
    const body = `{${Array.from({ length: 1_500 }, (_, index) => `"k${index}":{}`).join(',')}}`
    const head = [`POST ${BASE_PATH}/oauth/token HTTP/1.1`, 'Host: h', 'Content-Type: application/json']
    const text = (headOf(...head, `Content-Length: ${body.length}`) + body).repeat(20)
    const { quiet, beside, seen } = await attacked('token requests', { connections: 4, text, again: true })
    const count = Object.values(seen.answers).reduce((sum, answers) => sum + answers, 0)
    expect(seen.answers['401'] ?? 0).toBeLessThan(60)
    expect(beside.failed).toBe(0)
    // Above the limit of failures the first answer on a connection is also its last.
    expect((beside.cpu - quiet.cpu * 4) / count).toBeLessThan(60)
  })

  describe('with a pipeline of 136 KB of failures', () => {
    const signed = () => [
      `X-Service-Key-Id: ${invented()}`,
      `X-Service-Timestamp: ${now()}`,
      `X-Service-Signature: ${'a'.repeat(64)}`,
    ]
    const pipeline = (headers: () => string[]) => {
      let text = ''
      while (text.length < 136_000) text += headOf(`GET ${BASE_PATH}/properties HTTP/1.1`, 'Host: h', ...headers())
      return text
    }

    it.each([
      ['no credentials', 1, () => []],
      ['no credentials', 10, () => []],
      ['invented key ids', 1, signed],
      ['invented key ids', 10, signed],
    ])('get few answers per connection, and Redis stays trusted: %s on %i', async (name, connections, headers) => {
      const attack = { connections, text: pipeline(headers), again: true }
      const { beside, seen } = await attacked(`pipelined ${name} on ${connections}`, attack)
      const count = Object.values(seen.answers).reduce((sum, answers) => sum + answers, 0)
      expect(beside.failed).toBe(0)
      expect(count).toBeLessThanOrEqual(10 * seen.connected)
      expect(seen.answers['401'] ?? 0).toBeLessThan(60)
      expect(gateway.process.log).not.toContain('Redis does not answer')
    })
  })

  it.each([
    ['no credentials', () => []],
    ['an invented key id', () => forged(invented())],
    ['the key id of a partner', () => forged(partner.key.key_id)],
  ])('hold little memory on 2,000 connections that announce 1 MiB each: %s', async (name, headers) => {
    const head = [`POST ${BASE_PATH}/ari HTTP/1.1`, 'Host: h', ...headers(), `Content-Length: ${MIB}`]
    const attack = { connections: 2_000, text: headOf(...head), bytes: MIB - 64 * KIB }
    // A busy machine takes a while to open that many connections.
    const { beside, seen } = await attacked(name, attack, 3 * ATTACK)
    expect(seen.connected).toBeGreaterThan(1_000)
    expect(beside.failed).toBe(0)
    // Between 40 and 80 MiB, most of it for the connections themselves; 770 MiB when bodies were kept first.
    expect(beside.growth).toBeLessThan(128)
  })
})

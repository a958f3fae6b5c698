import { randomBytes } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { type Attack, BesideAttack } from './attack.js'
import { GatewayProcess } from './gateway-process.js'
import { type Partner, type Signed, signatureHeaders } from './partner.js'
import { headOf } from './raw-client.js'

const KIB = 1024
const MIB = 1024 * KIB
/** Most CPU time that a request of others may find before it, ms. */
const LONGEST_TURN = 100
/** Most connections that a client over its limit gets in 4 s by reconnecting; unpaced 10,000 on a quiet machine. */
const MOST_CONNECTIONS = 1_500

describe('a healthy partner beside', () => {
  let gateway: GatewayProcess
  let healthy: Partner
  let attacker: Partner & { connectionId: string }
  let attack: BesideAttack

  beforeAll(async () => {
    gateway = await new GatewayProcess().start({ FAILED_AUTH_PER_MINUTE: '30', LOG_LEVEL: 'info' })
    healthy = await gateway.partner()
    attacker = await gateway.partner()
    attack = new BesideAttack(gateway, healthy)
    for (let calls = 0; calls < 200; calls++) await healthy.get('/properties')
  })
  afterAll(() => gateway.stop())

  /** Text of a request of the attacker. A repeated one has the same key, so that its signature stays valid. */
  const request = (path: string, options: Signed = {}) => {
    const { method = 'GET', body = '' } = options
    const target = BASE_PATH + path
    const own = method === 'GET' ? {} : { 'Idempotency-Key': 'again', 'Content-Type': 'application/json' }
    const length = method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const headers = { ...signatureHeaders(attacker.key, target, options), ...own, ...length }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    return headOf(`${method} ${target} HTTP/1.1`, 'Host: h', ...lines) + body
  }
  const poll = () => request(`/reservations?property_id=${attacker.connectionId}`)
  const write = (body: string) => request('/ari', { method: 'POST', body })
  const filled = (size: number, one: string, where: 'first' | 'last' = 'first') => {
    const fields = [
      `"property_id":"${attacker.connectionId}"`,
      `"updates":[${`${one},`.repeat(size / (one.length + 1) - 40)}${one}]`,
    ]
    return `{${(where === 'first' ? fields : fields.toReversed()).join(',')}}`
  }

  async function beside(name: string, given: Partial<Attack>) {
    const once = () => attack.measure(`beside ${name}`, given)
    let found = await once()
    // A single long turn may be a collection or a compilation; one that the attack causes comes again.
    if (found.beside.failed === 0 && found.beside.longestTurn >= LONGEST_TURN) found = await once()
    expect(found.beside.failed).toBe(0)
    expect(found.beside.longestTurn).toBeLessThan(LONGEST_TURN)
    return found
  }

  it.each([
    [40, 'send again'],
    [40, 'reconnect'],
    [200, 'send again'],
    [200, 'reconnect'],
  ] as const)('a partner over its limit whose %d connections %s', async (connections, then) => {
    const given = { connections, text: poll(), then, again: true }
    const { seen, cpuPerSecond } = await beside(`polls over the limit on ${connections}, ${then}`, given)
    expect(seen.connected).toBeLessThan(MOST_CONNECTIONS)
    expect(cpuPerSecond).toBeLessThan(300)
  })

  it.each([
    [2 * KIB, 'first', 400],
    [60 * KIB, 'first', 400],
    // Such a body is parsed before it is counted.
    [60 * KIB, 'last', 1_000],
  ] as const)(
    'a partner that reconnects with %d bytes for each refusal, the connection %s',
    async (size, where, cpu) => {
      const { seen, cpuPerSecond } = await beside(`writes of ${size}, connection ${where}, over the limit`, {
        connections: 200,
        text: write(filled(size, '{}', where)),
        then: 'reconnect',
        again: true,
      })
      expect(seen.connected).toBeLessThan(MOST_CONNECTIONS)
      expect(cpuPerSecond).toBeLessThan(cpu)
    },
  )

  it.each(['{}', '""', '"2027-01-01"', '[[]]'])('a partner that sends lists of 1 MiB of %s', async (one) => {
    const text = write(filled(MIB - KIB, one))
    await beside(`lists of ${Buffer.from(one).toString('hex')}`, {
      connections: 4,
      text,
      then: 'send again',
      again: true,
    })
  })

  it.each([
    ['a stranger', () => ({ key_id: `key_${randomBytes(12).toString('hex')}`, signing_secret: 'x' })],
    ['a partner', () => attacker.key],
  ])('%s whose 200 connections write a byte of their body every 50 ms', async (_name, key) => {
    const headers = signatureHeaders(key(), `${BASE_PATH}/ari`, { method: 'POST' })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const text = headOf(`POST ${BASE_PATH}/ari HTTP/1.1`, 'Host: h', ...lines, `Content-Length: ${MIB}`)
    const { seen } = await beside('slow writers', { connections: 200, text, bytes: MIB, pause: 50, again: true })
    expect(seen.connected).toBeGreaterThanOrEqual(200)
  })
})

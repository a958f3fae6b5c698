import { randomBytes } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { ATTACK, type Attack, BesideAttack } from './attack.js'
import { GatewayProcess } from './gateway-process.js'
import { now, type Partner, signatureHeaders } from './partner.js'
import { headOf } from './raw-client.js'

const MIB = 1024 * 1024
const KIB = 1024

describe('strangers', () => {
  let gateway: GatewayProcess
  let partner: Partner
  let attack: BesideAttack

  beforeAll(async () => {
    gateway = await new GatewayProcess().start({ FAILED_AUTH_PER_MINUTE: '30', LOG_LEVEL: 'info' })
    partner = await gateway.partner()
    attack = new BesideAttack(gateway, partner)
    for (let calls = 0; calls < 100; calls++) await partner.get('/properties')
  })
  afterAll(() => gateway.stop())

  const attacked = (name: string, given: Partial<Attack>, duration = ATTACK) =>
    attack.measure(`strangers, ${name}`, given, duration)
  const lines = (headers: object) => Object.entries(headers).map(([name, value]) => `${name}: ${value as string}`)
  const invented = () => `key_${randomBytes(12).toString('hex')}`
  const forged = (key_id: string) =>
    lines(signatureHeaders({ key_id, signing_secret: 'x' }, `${BASE_PATH}/ari`, { method: 'POST' }))

  it('cost less than 60 ms of CPU for a connection that sends 20 token requests with 16 KiB of JSON each', async () => {
    const body = `{${Array.from({ length: 1_500 }, (_, index) => `"k${index}":{}`).join(',')}}`
    const head = [`POST ${BASE_PATH}/oauth/token HTTP/1.1`, 'Host: h', 'Content-Type: application/json']
    const text = (headOf(...head, `Content-Length: ${body.length}`) + body).repeat(20)
    const { quiet, beside, seen, answers } = await attacked('token requests', { connections: 4, text, again: true })
    expect(seen.answers['401'] ?? 0).toBeLessThan(60)
    expect(beside.failed).toBe(0)
    // Above the limit of failures the first answer on a connection is also its last.
    expect((beside.cpu - quiet.cpu * 2) / answers).toBeLessThan(60)
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
      const given = { connections, text: pipeline(headers), again: true }
      const { beside, seen, answers } = await attacked(`pipelined ${name} on ${connections}`, given)
      expect(beside.failed).toBe(0)
      expect(answers).toBeLessThanOrEqual(10 * seen.connected)
      expect(seen.answers['401'] ?? 0).toBeLessThan(60)
      expect(gateway.process.log).not.toContain('Redis does not answer')
    })
  })

  it.each([
    ['of the shortest requests', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(2_400)],
    ['without Host', 'GET / HTTP/1.1\r\n\r\n'.repeat(3_400)],
  ])('hold little memory on 200 connections with a pipeline %s', async (name, text) => {
    const { beside } = await attacked(`pipeline ${name}`, { connections: 200, text })
    expect(beside.failed).toBe(0)
    // 164 and 673 MiB with the objects of every request kept; 100 connections end a process of production's size.
    expect(beside.growth).toBeLessThan(128)
  })

  const fields = '00:\r\n'.repeat(9_000)
  it.each([
    ['heads', `GET ${BASE_PATH}/properties HTTP/1.1\r\nHost: h\r\n${fields}`],
    [
      'trailers',
      `${headOf(`POST ${BASE_PATH}/oauth/token HTTP/1.1`, 'Host: h', 'Transfer-Encoding: chunked')}1\r\na\r\n0\r\n${fields}`,
    ],
  ])('hold little memory on 500 connections with unfinished %s of 9,000 fields each', async (name, text) => {
    const { beside, seen } = await attacked(`${name} of many fields`, { connections: 500, text })
    expect(seen.connected).toBeGreaterThan(200)
    expect(beside.failed).toBe(0)
    // 237 MiB with every field kept.
    expect(beside.growth).toBeLessThan(128)
  })

  it.each([
    ['POST /oauth/token', 'oauth/token', () => []],
    ['POST /ari under an invented key id', 'ari', () => forged(invented())],
  ])(
    'hold little memory on 200 connections with bodies of 9,900 chunks of one byte: %s',
    async (name, path, headers) => {
      const chunked = ['Host: h', 'Content-Type: application/json', 'Transfer-Encoding: chunked', ...headers()]
      const text = headOf(`POST ${BASE_PATH}/${path} HTTP/1.1`, ...chunked) + '1\r\n[\r\n'.repeat(9_900)
      const { beside } = await attacked(`chunks of one byte, ${name}`, { connections: 200, text })
      expect(beside.failed).toBe(0)
      // 384 MiB with a Buffer kept for each chunk.
      expect(beside.growth).toBeLessThan(128)
    },
  )

  it.each([
    ['no credentials', () => []],
    ['an invented key id', () => forged(invented())],
    ['the key id of a partner', () => forged(partner.key.key_id)],
  ])('hold little memory on 2,000 connections that announce 1 MiB each: %s', async (name, headers) => {
    const head = [`POST ${BASE_PATH}/ari HTTP/1.1`, 'Host: h', ...headers(), `Content-Length: ${MIB}`]
    const given = { connections: 2_000, text: headOf(...head), bytes: MIB - 64 * KIB }
    // A busy machine takes a while to open that many connections.
    const { beside, seen } = await attacked(name, given, 3 * ATTACK)
    expect(seen.connected).toBeGreaterThan(1_000)
    expect(beside.failed).toBe(0)
    // 12 to 43 MiB, and 72 on a busy machine: 32 MiB of bodies from a partner's address, and the connections
    // themselves. 770 MiB when bodies were kept first.
    expect(beside.growth).toBeLessThan(128)
  })
})

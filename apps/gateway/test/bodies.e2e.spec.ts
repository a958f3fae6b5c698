import { randomBytes } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { eventually } from '@connectivity/testing/eventually'
import { BodyBudgets } from '../src/http/requests/body-budgets.service.js'
import { newToken } from '../src/live/access-token.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call, now, type Partner, signatureHeaders } from './partner.js'
import { headOf, type RawAnswer, RawClient } from './raw-client.js'

const MIB = 1024 * 1024
const PATH = `${BASE_PATH}/ari`
const TOKEN = `${BASE_PATH}/oauth/token`
const invented = () => `key_${randomBytes(12).toString('hex')}`

describe('bodies of requests', () => {
  const gateway = new GatewayUnderTest()
  let partner: Partner
  const held = () => gateway.app.get(BodyBudgets, { strict: false }).held

  beforeAll(async () => {
    await gateway.start({ TRUSTED_PROXIES: ['127.0.0.1/32'], FAILED_AUTH_PER_MINUTE: 40 })
    partner = gateway.partner(
      await gateway.signingKey(await gateway.pilotConnection(await gateway.approvedApplication())),
    )
  })
  afterAll(() => gateway.stop())
  afterEach(() => eventually(() => expect(held()).toBe(0)))

  const address = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`
  const lines = (headers: object) => Object.entries(headers).map(([name, value]) => `${name}: ${value as string}`)
  const signed = (key_id: string, signing_secret = 'wrong', timestamp = now()) =>
    lines(signatureHeaders({ key_id, signing_secret }, PATH, { method: 'POST', timestamp }))

  const announce = async (headers: string[], from = address(), size = MIB): Promise<RawClient> => {
    const raw = await RawClient.open(gateway.publicOrigin)
    const head = [`POST ${PATH} HTTP/1.1`, 'Host: h', `X-Forwarded-For: ${from}`, ...headers, `Content-Length: ${size}`]
    return raw.send(headOf(...head))
  }
  const refusal = async (raw: RawClient): Promise<[number, string]> => {
    const [answer] = (await raw.untilEnd()) as [RawAnswer]
    return [answer.status, answer.json.error!.code]
  }

  it.each([
    ['no credentials', () => []],
    ['a malformed header', () => [...signed(invented()), 'X-Service-Timestamp: 1']],
    ['a time outside the window', () => signed(partner.key.key_id, partner.key.signing_secret, now() - 301)],
    ['a dead token', () => [`Authorization: Bearer ${newToken('access', 'ab'.repeat(32))}`]],
  ])('are neither read nor requested with %s', async (_what, headers) => {
    const [status] = await refusal(await announce([...headers(), 'Expect: 100-continue']))
    expect(status).toBe(401)
  })

  it.each([
    ['unknown', invented],
    ['known', () => partner.key.key_id],
  ])('are read before a signature is refused, whether the key is known or not: %s', async (_what, keyId) => {
    const raw = await announce([...signed(keyId()), 'Expect: 100-continue', 'Connection: close'])
    await eventually(() => expect(raw.received).toBe('HTTP/1.1 100 Continue\r\n\r\n'))
    await raw.send(Buffer.alloc(MIB))
    const answers = await raw.untilEnd()
    expect(answers.map(({ status }) => status)).toEqual([100, 401])
    expect(answers[1]!.json.error!.code).toBe('invalid_signature')
  })

  it.each([
    ['unknown', invented],
    ['known', () => partner.key.key_id],
  ])('of strangers are refused beyond 2 MiB per address: %s', async (_what, keyId) => {
    const [from, key] = [address(), keyId()]
    const rawClients = await Promise.all([1, 2, 3].map(() => announce(signed(key), from)))
    for (const raw of rawClients) await raw.send(Buffer.alloc(MIB - 1))
    const refused = await eventually(() => {
      const found = rawClients.filter(({ received }) => received !== '')
      expect(found).toHaveLength(1)
      return found[0]!
    })
    expect(await refusal(refused)).toEqual([503, 'service_unavailable'])
    expect(refused.received).toMatch(/\r\nretry-after: 2\r\n/i)
    for (const { socket } of rawClients) socket.destroy()
  })

  it('over a budget are refused at once fifty times, then after half a second', async () => {
    const [from, key] = [address(), partner.key.key_id]
    // Failures of an unknown address would be counted, and soon be refused as such.
    expect((await partner.get('/properties', { headers: { 'X-Forwarded-For': from } })).status).toBe(200)
    const full = await Promise.all(Array.from({ length: 16 }, () => announce(signed(key), from)))
    for (const raw of full) await raw.send(Buffer.alloc(MIB - 1))
    await eventually(() => expect(held()).toBe(16 * MIB - 16))
    const times = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const raw = await announce(signed(key), from)
        const begunAt = performance.now()
        await raw.send(Buffer.alloc(1_000))
        expect(await refusal(raw)).toEqual([503, 'service_unavailable'])
        return performance.now() - begunAt
      }),
    )
    expect(times.filter((took) => took >= 490).length).toBeGreaterThanOrEqual(5)
    for (const { socket } of full) socket.destroy()
  })

  it('may have exactly 16 KiB where the call takes no list', async () => {
    const ask = (size: number) => partner.get('/properties', { body: Buffer.alloc(size, 'a') })
    expect((await ask(16 * 1024)).status).toBe(200)
    const { status, json } = await ask(16 * 1024 + 1)
    expect([status, json.error!.message]).toEqual([413, expect.stringContaining('16 KiB')])
  })

  it('release their memory when the client disconnects', async () => {
    const raw = await announce(signed(partner.key.key_id))
    await raw.send(Buffer.alloc(MIB / 2))
    await eventually(() => expect(held()).toBe(MIB / 2))
    raw.socket.destroy()
  })

  it('are refused in more than 10,000 chunks', async () => {
    const raw = await RawClient.open(gateway.publicOrigin)
    await raw.send(headOf(`POST ${PATH} HTTP/1.1`, 'Host: h', ...signed(invented()), 'Transfer-Encoding: chunked'))
    await raw.send('1\r\na\r\n'.repeat(10_001))
    expect(await refusal(raw)).toEqual([400, 'invalid_request'])
  })

  it('that arrive complete with a refused head leave the connection open', async () => {
    const raw = await RawClient.open(gateway.publicOrigin)
    const head = headOf(`POST ${PATH} HTTP/1.1`, 'Host: h', `X-Forwarded-For: ${address()}`, 'Content-Length: 2')
    await raw.send(`${head}{}`)
    await eventually(() => expect(raw.received).toMatch(/ 401 /))
    await raw.send(headOf(`GET ${PATH} HTTP/1.1`, 'Host: h', `X-Forwarded-For: ${address()}`, 'Connection: close'))
    expect((await raw.untilEnd()).map(({ status }) => status)).toEqual([401, 401])
  })

  it('of a GET are signed and have no effect', async () => {
    const body = 'no JSON'
    const target = `${BASE_PATH}/properties`
    const read = async (sent: string) => {
      const raw = await RawClient.open(gateway.publicOrigin)
      const headers = lines(signatureHeaders(partner.key, target, { body }))
      const size = `Content-Length: ${sent.length}`
      const head = headOf(`GET ${target} HTTP/1.1`, 'Host: h', 'Connection: close', ...headers, size)
      const [answer] = (await (await raw.send(head + sent)).untilEnd()) as [RawAnswer]
      return answer.status
    }
    expect([await read(body), await read(`${body.slice(1)}!`)]).toEqual([200, 401])
  })

  describe('of an address over its limit of failures', () => {
    const fail = (from: string, headers: object = {}) =>
      call(gateway.publicOrigin, `${BASE_PATH}/properties`, { headers: { 'X-Forwarded-For': from, ...headers } })
    const overLimit = async (): Promise<{ from: string; began: number }> => {
      const [from, began] = [address(), Date.now()]
      await Promise.all(Array.from({ length: 41 }, () => fail(from)))
      return { from, began }
    }
    const secondsSince = (began: number): number => (Date.now() - began) / 1_000
    /** Failures that the limit of 40 a minute has let through again. */
    const letThroughSince = (began: number): number => Math.ceil((secondsSince(began) * 40) / 60)
    const notLimited = (answers: { status: number }[]): number => answers.filter(({ status }) => status !== 429).length

    it('are refused at POST /oauth/token, and the connection ends', async () => {
      const { from, began } = await overLimit()
      const ask = () =>
        call(gateway.publicOrigin, TOKEN, {
          method: 'POST',
          headers: { 'X-Forwarded-For': from, 'Content-Type': 'text/plain' },
          body: 'x',
        })
      const answers = await Promise.all(Array.from({ length: 20 }, ask))
      expect(notLimited(answers)).toBeLessThanOrEqual(letThroughSince(began))
      expect(answers.find(({ status }) => status === 429)!.headers.connection).toBe('close')
    })

    it('cause no lookups of invented keys beyond five a second; valid credentials pass', async () => {
      expect((await partner.get('/properties')).status).toBe(200)
      const { from, began } = await overLimit()
      const lookups = async () =>
        Number(
          /lookups_total\{cache="credentials",result="miss"\} (\d+)/.exec(
            (await call(gateway.privateOrigin, '/metrics')).text,
          )?.[1],
        )
      const before = await lookups()
      const forged = () => signatureHeaders({ key_id: invented(), signing_secret: 'x' }, `${BASE_PATH}/properties`)
      const answers = await Promise.all(Array.from({ length: 100 }, () => fail(from, forged())))
      expect(notLimited(answers)).toBeLessThanOrEqual(letThroughSince(began))
      expect((await lookups()) - before).toBeLessThan(15 + 5 * secondsSince(began))
      expect((await partner.get('/properties', { headers: { 'X-Forwarded-For': from } })).status).toBe(200)
    })
  })

  it('that follow ten refused authentications are dropped with their connection', async () => {
    const raw = await RawClient.open(gateway.publicOrigin)
    const head = headOf(`GET ${PATH} HTTP/1.1`, 'Host: h', `X-Forwarded-For: ${address()}`)
    await raw.send(head.repeat(30))
    const answers = await raw.untilEnd()
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(401))
    expect(answers.length).toBeLessThanOrEqual(10)
    expect(answers.at(-1)!.head).toMatch(/\r\nconnection: close\r\n/i)
  })
})

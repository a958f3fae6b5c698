import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { RequestPage } from '@connectivity/contracts/request-log'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { eventually } from '@connectivity/testing/eventually'
import { AnswerMemory } from '../src/forwarding/answers/answer-memory.service.js'
import { LogSearches } from '../src/request-log/log-searches.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Partner, signatureHeaders } from './partner.js'
import { headOf, RawClient } from './raw-client.js'

const KIB = 1024
/** Entries of the application in the log, each of about 13 KiB. */
const ENTRIES = 60

const details = Array.from({ length: 100 }, () => ({ pointer: '/a', code: 'x', message: 'm'.repeat(100) }))
const insertEntries = `
  INSERT INTO logged_request (day, at, correlation_id, application_id, method, path, authenticated, status, duration_ms,
                              facts, repeated)
  SELECT (now() AT TIME ZONE 'UTC')::date, now(), 'long-' || n, $1, 'POST', '/ari', true, 400, 1, $2, 1
    FROM generate_series(1, ${ENTRIES}) n`

const gateway = new GatewayUnderTest()
beforeAll(() => gateway.start())
afterAll(() => gateway.stop())

describe('large answers of the gateway itself', () => {
  let partner: Partner
  let memory: AnswerMemory

  beforeAll(async () => {
    const application = await gateway.approvedApplication()
    partner = gateway.partner(await gateway.signingKey(await gateway.pilotConnection(application)))
    memory = gateway.app.get(AnswerMemory, { strict: false })
    await gateway.untilServed(() => partner.get('/requests'))
    const facts = JSON.stringify([1, 1, null, null, null, null, {}, details, null])
    await gateway.database.query(insertEntries, [application, facts])
  })

  it('end before their limit when entries are long, and go on by cursor', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { text, json, headers } = await partner.get(`/requests?path=/ari&limit=100${cursor && `&cursor=${cursor}`}`)
      const { requests, pagination } = json as unknown as RequestPage
      expect(text.length).toBeLessThan(300 * KIB)
      expect(headers['content-length']).toBe(String(text.length))
      expect(pagination).toMatchObject({ limit: 100, count: requests.length })
      seen.push(...requests.map(({ correlation_id }) => correlation_id))
      cursor = pagination.next_cursor
    }
    expect(seen).toHaveLength(ENTRIES)
    expect(new Set(seen).size).toBe(ENTRIES)
  })

  it('are counted as kept until their client reads them or leaves', async () => {
    const target = `${BASE_PATH}/requests?path=/ari&limit=100`
    const raw = await RawClient.open(gateway.publicOrigin)
    raw.socket.on('error', () => undefined).pause()
    const headers = Object.entries(signatureHeaders(partner.key, target.split('?')[0]!))
    const head = headOf(`GET ${target} HTTP/1.1`, 'Host: h', ...headers.map((each) => each.join(': ')))
    // More than the system's buffers take.
    await raw.send(head.repeat(40))
    await eventually(() => expect(memory.keptBytes).toBeGreaterThan(128 * KIB))
    raw.socket.destroy()
    await eventually(() => expect([memory.keptBytes, memory.applications]).toEqual([0, 0]))
  })
})

describe('searches of the request log', () => {
  const sleep = (name: string, seconds: number, socket = new EventEmitter()) => {
    const request = { socket } as unknown as IncomingMessage
    const searches = gateway.app.get(LogSearches, { strict: false })
    return searches.run({ name, request }, (tx) => tx.query('SELECT pg_sleep($1)', [seconds]))
  }

  it('of one application run one after the other, beside those of another', async () => {
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    const all = [sleep('a', 1).then(note('a1')), sleep('a', 0).then(note('a2')), sleep('b', 0).then(note('b1'))]
    await Promise.all(all)
    expect(ended).toEqual(['b1', 'a1', 'a2'])
  })

  it('of a client that leaves give their turn up', async () => {
    const [client, first] = [new EventEmitter(), sleep('a', 1)]
    const second = sleep('a', 30, client)
    client.emit('close')
    await expect(second).rejects.toMatchObject({ status: 503 })
    await first
    expect(client.listenerCount('close')).toBe(0)
  })

  it('end after 3 s and say what to do, while requests are signed and bound', async () => {
    const long = Promise.allSettled([sleep('a', 30), sleep('b', 30), sleep('c', 0)])
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    const partner = gateway.partner(await gateway.signingKey(connection))
    const body = JSON.stringify({ property_id: connection, contact: { name: 'Ada', email: 'ada@example.com' } })
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }
    const begun = performance.now()
    const answer = await partner.get('/production/request', { method: 'POST', headers, body })
    expect(answer).toMatchObject({ status: 422, json: { error: { code: 'checklist_incomplete' } } })
    expect(performance.now() - begun).toBeLessThan(2_000)
    const [a, b, c] = await long
    for (const one of [a, b])
      expect(one).toMatchObject({
        reason: { status: 503, retryAfterSeconds: 5, message: expect.stringMatching('too long') },
      })
    expect(c!.status).toBe('fulfilled')
  })
})

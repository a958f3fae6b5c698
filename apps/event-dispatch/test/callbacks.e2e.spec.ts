import { randomUUID } from 'node:crypto'
import { reservationEventTypes } from '@connectivity/contracts/reservation-events'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { type Call, DispatchProcesses } from './dispatch-process.js'
import { Authority } from '@connectivity/testing/certificates'
import { answer, good, type ReceivedRequest, ScriptedReceiver, type Script, verified } from './scripted-receiver.js'

let dispatch: DispatchProcesses
let service: ServiceProcess
let other: ServiceProcess
let receiver: ScriptedReceiver
let connection: string
beforeAll(async () => {
  dispatch = await DispatchProcesses.create()
  // The environment of one process turns certificate checks off.
  ;[service, other] = await Promise.all([dispatch.start(), dispatch.start({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })])
})
afterAll(() => dispatch.stop())
beforeEach(async () => {
  connection = `con_${randomUUID()}`
  receiver = await new ScriptedReceiver(good).start()
})
afterEach(() => receiver.stop())

const call = (method: string, path: string, given: Call = {}, at = service) =>
  dispatch.call(at, method, path, { connection, ...given })
const put = (body: object = {}, given: Call = {}) =>
  call('PUT', '/callback', { body: { url: receiver.url(), ...body }, ...given })
const made = async (): Promise<string> => (await put()).body.secret
const row = async () =>
  (await dispatch.sql.query('SELECT * FROM callback WHERE connection_id = $1', [connection])).rows[0]

describe('PUT of a callback', () => {
  it('challenges the receiver, signed with the secret that the answer reveals', async () => {
    const { status, body } = await put()
    expect(status).toBe(201)
    expect(body).toEqual({
      schema_version: '1.0.0',
      property_id: connection,
      url: receiver.url(),
      events: reservationEventTypes,
      payload: 'full',
      state: 'active',
      suspended_at: null,
      ...{ pending: 0, failed: 0, last_success_at: null },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const [challenge] = receiver.requests as [ReceivedRequest]
    expect(verified(body.secret, challenge)).toEqual({
      schema_version: '1.0.0',
      event_id: challenge.headers['webhook-id'],
      type: 'callback.challenge',
      property_id: connection,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      challenge: expect.stringMatching(/^.{32}$/),
    })
    expect(challenge.headers).toMatchObject({
      'service-event-id': expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      'service-event-type': 'callback.challenge',
      'service-delivery-attempt': '1',
    })
    expect(challenge.method).toBe('POST')
  })

  it('repeated with its key shows the secret again; with another key it keeps but never shows the secret', async () => {
    const key = randomUUID()
    const first = await put({}, { key })
    const again = await put({}, { key })
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
    expect(receiver.requests).toHaveLength(1)
    const later = await put({
      url: receiver.url('127.0.0.1', '/elsewhere'),
      events: ['reservation.cancelled'],
      payload: 'thin',
    })
    expect(later.status).toBe(200)
    expect(later.body).toMatchObject({
      events: ['reservation.cancelled'],
      payload: 'thin',
      url: receiver.url('127.0.0.1', '/elsewhere'),
    })
    expect(later.body).not.toHaveProperty('secret')
    expect(verified(first.body.secret, receiver.requests[1]!)).toMatchObject({ type: 'callback.challenge' })
    const read = await call('GET', '/callback')
    expect([read.status, read.body]).toEqual([200, later.body])
  })

  it('keeps secrets sealed, in the answers it stores too', async () => {
    const secret = (await made()).slice('whsec_'.length)
    const { rows } = await dispatch.sql.query('SELECT body FROM idempotent_answer')
    expect(rows.length).toBeGreaterThan(0)
    for (const text of [JSON.stringify(rows), JSON.stringify(await row())]) expect(text).not.toContain(secret)
    expect(service.log).not.toContain(secret)
  })

  it.each([
    ['http://example.com/', 'blocked_address'],
    ['https://example.com:8443/', 'blocked_address'],
    ['http://nowhere.test/', 'blocked_address'],
  ])('of %s is refused with %s and no further detail', async (url, code) => {
    const { status, body } = await put({ url })
    expect([status, body.error.code]).toEqual([422, 'callback_unreachable'])
    expect(body.error.details).toEqual([{ pointer: '/url', code, message: body.error.message }])
    expect(body.error.message).toMatch(/public addresses only/)
  })

  it.each<[string, object]>([
    ['an address', { url: 'https://8.8.8.8/' }],
    ['0.0.0.0', { url: 'http://0.0.0.0:80/' }],
    ['a mapped address', { url: 'http://[::ffff:127.0.0.1]:80/' }],
    ['a private address', { url: 'https://169.254.169.254/latest' }],
    ['a user', { url: 'https://me:secret@example.com/' }],
    ['a fragment', { url: 'https://example.com/#a' }],
    ['another scheme', { url: 'ftp://example.com/' }],
    ['too long a URL', { url: `https://example.com/${'a'.repeat(2_048)}` }],
    ['no URL', { url: 'hooks' }],
    ['null', { url: null }],
  ])('of %s is invalid at /url', async (_what, body) => {
    const { status, body: refused } = await put(body)
    expect([status, refused.error.code]).toEqual([400, 'invalid_request'])
    expect(refused.error.details).toEqual([expect.objectContaining({ pointer: '/url' })])
  })

  it.each<[string, object]>([
    ['/events', { events: [] }],
    ['/events/0', { events: ['created'] }],
    ['/events', { events: ['reservation.created', 'reservation.created'] }],
    ['/events', { events: null }],
    ['/payload', { payload: 'fat' }],
    ['/secret', { secret: 'mine' }],
  ])('refuses an undocumented %s: %j', async (pointer, body) => {
    const { status, body: refused } = await put(body)
    expect([status, refused.error.details]).toEqual([400, [expect.objectContaining({ pointer })]])
    expect(receiver.requests).toEqual([])
  })

  it.each<[string, Script]>([
    ['unexpected_status', answer(404)],
    [
      'unexpected_status',
      (socket, request) => answer(302, request.body, { location: receiver.url() })(socket, request),
    ],
    ['wrong_challenge', answer(200)],
    ['wrong_challenge', answer(200, '{"challenge":"guess"}')],
    ['wrong_challenge', (socket, { body, ...request }) => answer(200, `[${body}]`)(socket, { body, ...request })],
    ['wrong_challenge', (socket, request) => answer(200, `{"data":${request.body}}`)(socket, request)],
    ['connection_reset', (socket) => socket.resetAndDestroy()],
  ])(
    'is refused as %s when the receiver fails the challenge, and can be retried with its key',
    async (code, script) => {
      const key = randomUUID()
      receiver.script = script
      const refused = await put({}, { key })
      expect([refused.status, refused.body.error.code]).toEqual([422, 'callback_unreachable'])
      expect(refused.body.error.details).toEqual([expect.objectContaining({ pointer: '/url', code })])
      expect((await call('GET', '/callback')).status).toBe(404)
      receiver.script = good
      expect(await put({}, { key })).toMatchObject({ status: 201 })
    },
  )

  it('of a receiver with an invalid certificate is refused, even if the environment turns the check off', async () => {
    const authority = new Authority()
    const selfSigned = await new ScriptedReceiver(good, authority.selfSigned('localhost')).start()
    const body = { url: selfSigned.url('localhost') }
    const refused = await call('PUT', '/callback', { body }, other)
    expect([refused.status, refused.body.error.details[0].code]).toEqual([422, 'tls_error'])
    expect(selfSigned.requests).toEqual([])
    selfSigned.stop()
    authority.remove()
  })

  it('requires an idempotency key', async () => {
    expect((await put({}, { key: null })).body.error.code).toBe('idempotency_key_required')
  })

  it('sent twice at once creates one callback with one secret', async () => {
    const hosts = ['127.0.0.1', 'localhost']
    const answers = await Promise.all(
      [service, other, service, other].map((at, index) =>
        call('PUT', '/callback', { body: { url: receiver.url(hosts[index % 2], `/${index}`) } }, at),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
    expect(answers.filter(({ body }) => 'secret' in body)).toHaveLength(1)
    const { body } = await call('POST', '/callback/test')
    expect(body).toMatchObject({ delivered: true })
    const secret = answers.find(({ body }) => 'secret' in body)!.body.secret
    expect(verified(secret, receiver.requests.at(-1)!)).toMatchObject({ type: 'callback.test' })
  })

  // Must be last: it stops one of the processes.
  it('holds its key in all processes until the receiver answers, and ends with its own process', async () => {
    const key = randomUUID()
    receiver.script = () => undefined
    const body = { url: receiver.url() }
    const lost = call('PUT', '/callback', { body, key }, other).catch(() => null)
    await eventually(() => expect(receiver.requests).toHaveLength(1))
    for (const at of [other, service]) {
      const busy = await call('PUT', '/callback', { body, key }, at)
      expect([busy.status, busy.body.error.code, busy.headers.get('retry-after')]).toEqual([
        409,
        'idempotency_in_progress',
        '1',
      ])
    }
    await other.kill()
    await lost
    receiver.script = good
    await eventually(async () => expect((await call('PUT', '/callback', { body, key })).status).toBe(201))
  })
})

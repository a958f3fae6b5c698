import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import { connection, dispatch, receiver, service, useDispatch } from './dispatch-suite.js'
import { eventId } from './reservation-event.js'
import { answer, type ReceivedRequest } from './scripted-receiver.js'

useDispatch()
let event: string
beforeEach(() => {
  event = eventId(connection, 1)
})

const call = (method: string, path: string, body?: object, key?: string) =>
  dispatch.call(service, method, path, { connection, body, ...(key === undefined ? {} : { key }) })
const register = (given: object = {}) => call('PUT', '/callback', { url: receiver.url(), ...given })
const publish = (sequence = 1) => dispatch.publish({ connectionId: connection, sequence })
const deliveries = () =>
  receiver.requests.filter(({ headers }) => headers['service-event-type'] !== 'callback.challenge')
const delivered = (count: number) =>
  eventually(() => {
    expect(deliveries()).toHaveLength(count)
    return deliveries().at(-1)!
  })
const attempts = (id = event) =>
  dispatch.partner(service, 'GET', `/reservations/events/${id}/attempts?property_id=${connection}`, { connection })
const recorded = (count: number) => eventually(async () => expect((await attempts()).body.attempts).toHaveLength(count))

type Given = Partial<Pick<ReceivedRequest, 'headers' | 'body'>>
const asked = ({ headers, body }: Pick<ReceivedRequest, 'headers' | 'body'>, given: Given = {}) => ({
  event_id: event,
  headers: given.headers ?? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  body_base64: (given.body ?? body).toString('base64'),
})
const diagnose = (question: object, key?: string) => call('POST', '/callback/diagnose', question, key)

describe('the diagnosis of a callback', () => {
  it('is valid as it was delivered, also a day later', async () => {
    await register()
    await publish()
    const request = await delivered(1)
    await recorded(1)
    const { status, body } = await diagnose(asked(request))
    expect(status).toBe(200)
    expect(body).toEqual({
      schema_version: '1.0.0',
      property_id: connection,
      event_id: event,
      verdict: 'valid',
      likely_cause: null,
      first_difference: null,
      message: expect.any(String),
    })
  })

  it('names a changed body, a missing header and a foreign signature, without any secret', async () => {
    const { secret } = (await register()).body as { secret: string }
    await publish()
    const request = await delivered(1)
    const changed = await diagnose(asked(request, { body: Buffer.from(`${request.body.toString()}\n`) }))
    expect(changed.body).toMatchObject({
      verdict: 'body_changed',
      likely_cause: 'json_reserialised',
      first_difference: { offset: request.body.length, expected: '', received: 'Cg==' },
    })
    expect((await diagnose(asked(request, { headers: {} }))).body.verdict).toBe('header_missing')
    const other = String(request.headers['service-signature']).replace(/v1=.{8}/, 'v1=00000000')
    const headers = { 'service-event-id': event, 'SERVICE-SIGNATURE': other }
    const wrong = await diagnose(asked(request, { headers }))
    expect(wrong.body.verdict).toBe('wrong_secret')
    expect(wrong.text).not.toContain(secret.slice('whsec_'.length))
  })

  it.each([0, 3_600])('names the rotation that ended the secret, with an overlap of %d s', async (overlap_seconds) => {
    await register()
    await publish()
    const request = await delivered(1)
    await recorded(1)
    await call('POST', '/callback/rotate-secret', { overlap_seconds })
    const { body } = await diagnose(asked(request))
    expect(body.verdict).toBe(overlap_seconds === 0 ? 'wrong_secret' : 'valid')
    if (overlap_seconds === 0) expect(body.message).toMatch(/rotation/)
    await dispatch.sql.query(
      `UPDATE callback SET previous_secret_ends_at = now() - interval '1 s' WHERE connection_id = $1`,
      [connection],
    )
    expect((await diagnose(asked(request))).body).toMatchObject({
      verdict: 'wrong_secret',
      message: expect.stringMatching(/rotation/),
    })
  })

  it('compares with what the last attempt sent, before the first with what would be sent', async () => {
    await register({ payload: 'thin', events: ['reservation.cancelled'] })
    await publish()
    await eventually(async () => expect((await attempts()).status).toBe(200))
    const headers = { 'service-event-id': event, 'service-signature': `t=1795168800,v1=${'0'.repeat(64)}` }
    const before = await diagnose({ event_id: event, headers, body_base64: '' })
    expect(before.body).toMatchObject({ verdict: 'body_changed', likely_cause: 'truncated' })
    await register({ payload: 'thin' })
    await dispatch.partner(service, 'POST', '/reservations/events/replay', {
      connection,
      body: { property_id: connection, event_ids: [event] },
    })
    const request = await delivered(1)
    await recorded(1)
    expect(request.body.toString()).not.toContain('"reservation":')
    await register({ payload: 'full' })
    expect((await diagnose(asked(request))).body.verdict).toBe('valid')
  })

  it('is 404 without a callback and for an event of another connection', async () => {
    const question = { event_id: event, headers: {}, body_base64: '' }
    expect((await diagnose(question)).status).toBe(404)
    await register()
    expect((await diagnose(question)).body.error.code).toBe('not_found')
  })

  it('is repeated with its key, even after later changes', async () => {
    await register()
    await publish()
    const question = asked(await delivered(1))
    const key = randomUUID()
    const first = await diagnose(question, key)
    await call('DELETE', '/callback')
    expect(await diagnose(question, key)).toMatchObject({ status: 200, text: first.text })
    expect((await diagnose(question)).status).toBe(404)
  })

  it.each<[string, object]>([
    ['/event_id', { headers: {}, body_base64: '' }],
    ['/headers', { event_id: 'evt_1', body_base64: '' }],
    ['/headers', { event_id: 'evt_1', headers: [], body_base64: '' }],
    ['/headers/X-A~1B', { event_id: 'evt_1', headers: { 'X-A/B': 5 }, body_base64: '' }],
    ['/body_base64', { event_id: 'evt_1', headers: {} }],
    ['/body_base64', { event_id: 'evt_1', headers: {}, body_base64: 'é' }],
    ['/secret', { event_id: 'evt_1', headers: {}, body_base64: '', secret: 'x' }],
  ])('refuses a question that is malformed at %s', async (pointer, question) => {
    const { status, body } = await diagnose(question)
    expect([status, body.error.details]).toEqual([400, [expect.objectContaining({ pointer })]])
  })
})

describe('the attempts at an event', () => {
  it('are listed with what the receiver answered', async () => {
    await register()
    receiver.script = answer(503, 'queue\tis\r\nfull')
    await publish()
    await recorded(1)
    const { body } = await attempts()
    expect(body).toEqual({
      schema_version: '1.0.0',
      property_id: connection,
      event_id: event,
      attempts: [
        {
          number: 1,
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          url: receiver.url(),
          status: 503,
          error: null,
          duration_ms: expect.any(Number),
          response_excerpt: 'queueisfull',
        },
      ],
    })
    const [{ headers }] = deliveries() as [ReceivedRequest]
    expect(Math.floor(Date.parse(body.attempts[0].at) / 1_000)).toBe(Number(headers['webhook-timestamp']))
  })

  it('have an error where there was no answer', async () => {
    await register()
    receiver.script = (socket) => socket.resetAndDestroy()
    await publish()
    await recorded(1)
    expect((await attempts()).body.attempts).toMatchObject([
      { number: 1, status: null, error: 'connection_reset', response_excerpt: null },
    ])
  })

  it('are none without a callback, and unknown for events of others', async () => {
    await publish()
    await eventually(async () => expect((await attempts()).body).toMatchObject({ event_id: event, attempts: [] }))
    const unknown = await attempts('evt_unknown')
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
  })
})

import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import type { Call } from './dispatch-process.js'
import { connection, dispatch, receiver, service, useDispatch } from './dispatch-suite.js'
import { eventId } from './reservation-event.js'
import { answer } from './scripted-receiver.js'

useDispatch()

const call = (method: string, target: string, given: Call = {}) =>
  dispatch.partner(service, method, target, { connection, ...given })
const list = (query = '') => call('GET', `/reservations/events?property_id=${connection}${query}`)
const operate = (method: string, path: string, body?: object) =>
  dispatch.operate(service, method, path, body ? { body } : {})
const register = () => dispatch.call(service, 'PUT', '/callback', { connection, body: { url: receiver.url() } })
const publish = (...sequences: number[]) =>
  dispatch.publish(...sequences.map((sequence) => ({ connectionId: connection, sequence })))
const id = (sequence: number) => eventId(connection, sequence)
const states = async () =>
  (await list()).body.events.map(({ delivery }: { delivery: { state: string } }) => delivery.state)
const listed = (count: number) => eventually(async () => expect((await list()).body.events).toHaveLength(count))
const become = (...expected: string[]) => eventually(async () => expect(await states()).toEqual(expected))

describe('operators of callbacks', () => {
  it('see a callback, suspend it and resume it', async () => {
    expect((await operate('GET', `/callbacks/${connection}`)).status).toBe(404)
    await register()
    const suspended = await operate('POST', `/callbacks/${connection}/suspend`, { reason: 'floods them' })
    expect([suspended.status, suspended.body.state]).toEqual([200, 'suspended_by_operator'])
    expect(suspended.entry).toMatchObject({ action: 'callback.suspend', reason: 'floods them' })
    const again = await operate('POST', `/callbacks/${connection}/suspend`, { reason: 'twice' })
    expect([again.status, again.body.error.code]).toEqual([409, 'invalid_transition'])
    const partner = await dispatch.call(service, 'POST', '/callback/resume', { connection, body: {} })
    expect([partner.status, partner.body.error.code]).toEqual([409, 'invalid_transition'])
    await publish(1, 2)
    await become('held', 'held')
    const seen = (await operate('GET', `/callbacks/${connection}`)).body
    expect(seen).toMatchObject({
      property_id: connection,
      url: receiver.url(),
      ...{ pending: 2, held: 2, failed: 0, last_success_at: null, state: 'suspended_by_operator' },
      suspended_at: expect.stringMatching(/Z$/),
      breaker: { state: 'closed', open_until: null, failures_in_row: 0 },
    })
    expect(JSON.stringify(seen)).not.toMatch(/secret/)
    expect((await operate('POST', `/callbacks/${connection}/resume`, { reason: 'calm' })).body.state).toBe('active')
    await become('delivered', 'delivered')
    const after = (await operate('GET', `/callbacks/${connection}`)).body
    expect(after).toMatchObject({ pending: 0, held: 0, breaker: { state: 'closed' }, suspended_at: null })
    expect(after.last_success_at).toMatch(/Z$/)
    expect((await operate('POST', `/callbacks/${connection}/resume`, { reason: 'twice' })).status).toBe(409)
    expect((await operate('POST', `/callbacks/${connection}/resume`)).status).toBe(400)
  })

  it('leave the breaker of a healthy callback closed when they or its partner change it', async () => {
    const breaker = async () => (await operate('GET', `/callbacks/${connection}`)).body.breaker
    const closed = { state: 'closed', open_until: null, failures_in_row: 0 }
    await register()
    await register()
    expect(await breaker()).toEqual(closed)
    for (const change of ['suspend', 'resume'])
      expect((await operate('POST', `/callbacks/${connection}/${change}`, { reason: 'a try' })).status).toBe(200)
    expect(await breaker()).toEqual(closed)
    receiver.script = answer(500)
    await publish(1)
    await eventually(async () => expect((await list()).body.events[0]?.delivery.attempts).toBe(1))
    expect(await breaker()).toEqual({ ...closed, failures_in_row: 1 })
    receiver.script = answer(204)
    await dispatch.publish({ connectionId: connection, sequence: 2, reservationId: 'RSV-2' })
    await become('pending', 'delivered')
  })

  it('resume a failing callback with one delivery at a time', async () => {
    await register()
    receiver.script = answer(410)
    await publish(1)
    await eventually(async () =>
      expect((await operate('GET', `/callbacks/${connection}`)).body.state).toBe('suspended'),
    )
    receiver.script = () => undefined
    await operate('POST', `/callbacks/${connection}/resume`, { reason: 'moved' })
    expect((await operate('GET', `/callbacks/${connection}`)).body.breaker.state).toBe('half_open')
  })

  it('see which event a 410 refused, and when', async () => {
    await register()
    receiver.script = answer(410)
    await publish(1)
    await become('held')
    const [at, refused] = [expect.stringMatching(/Z$/), { event_id: id(1) }]
    const { suspended_at, last_failure } = (await operate('GET', `/callbacks/${connection}`)).body
    expect([suspended_at, last_failure]).toEqual([at, { at, status: 410, error: 'unexpected_status', ...refused }])
    const { deliveries } = (await operate('GET', `/deliveries?failing=true&property_id=${connection}`)).body
    expect(deliveries).toMatchObject([{ ...refused, state: 'pending', last_status: 410, failed_at: at }])
  })

  it('list failing callbacks and deliveries with their last error', async () => {
    await register()
    receiver.script = answer(503)
    await publish(1)
    await eventually(async () => expect((await list()).body.events[0]?.delivery.attempts).toBe(1))
    const waiting = (await operate('GET', `/deliveries?failing=true&property_id=${connection}`)).body
    const failure = { last_status: 503, last_error: 'unexpected_status', failed_at: expect.stringMatching(/Z$/) }
    expect(waiting).toMatchObject({
      deliveries: [{ event_id: id(1), property_id: connection, state: 'pending', attempts: 1, ...failure }],
      pagination: { count: 1, has_more: false },
    })
    const { last_failure } = (await operate('GET', `/callbacks/${connection}`)).body
    expect(last_failure).toMatchObject({ status: 503, error: 'unexpected_status', event_id: id(1) })
    expect((await operate('POST', `/callbacks/${connection}/suspend`, { reason: 'storm' })).status).toBe(200)
    const failing = async (query: string) =>
      (await operate('GET', `/callbacks?limit=100${query}`)).body.callbacks.map(
        ({ property_id }: { property_id: string }) => property_id,
      )
    expect(await failing('&failing=true')).toContain(connection)
    expect(await failing('&state=suspended_by_operator')).toContain(connection)
    expect(await failing('&state=active')).not.toContain(connection)
    const facts = (await operate('GET', '/connection-facts')).body.facts
    expect(facts).toContainEqual(
      expect.objectContaining({ connection_id: connection, last_error: 'unexpected_status' }),
    )
    for (const query of ['/callbacks?state=odd', '/deliveries?state=delivered', '/deliveries?failing=yes'])
      expect((await operate('GET', query)).status).toBe(400)
  })

  it("see each connection's callback state and unacknowledged events", async () => {
    const other = `con_${randomUUID().replaceAll('-', '')}`
    await dispatch.connect({ connection_id: other })
    await register()
    await publish(1, 2)
    await listed(2)
    const { body } = await operate('GET', `/connection-facts?connection_ids=${connection},${other},con_unknown,%00`)
    expect(body.facts).toHaveLength(2)
    expect(body.facts).toEqual(
      expect.arrayContaining([
        { connection_id: connection, callback_state: 'active', unacknowledged: 2, failed: 0, last_error: null },
        { connection_id: other, callback_state: null, unacknowledged: 0, failed: 0, last_error: null },
      ]),
    )
  })
})

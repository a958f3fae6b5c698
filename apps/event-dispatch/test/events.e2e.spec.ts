import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import type { Call } from './dispatch-process.js'
import { connection, dispatch, receiver, service, useDispatch } from './dispatch-suite.js'
import { complete, envelope, eventId } from './reservation-event.js'
import { answer, good } from './scripted-receiver.js'

useDispatch()

const call = (method: string, target: string, given: Call = {}) =>
  dispatch.partner(service, method, target, { connection, ...given })
const list = (query = '') => call('GET', `/reservations/events?property_id=${connection}${query}`)
const register = () => dispatch.call(service, 'PUT', '/callback', { connection, body: { url: receiver.url() } })
const publish = (...sequences: number[]) =>
  dispatch.publish(...sequences.map((sequence) => ({ connectionId: connection, sequence })))
const acknowledge = (...acknowledgements: object[]) =>
  call('POST', '/reservations/ack', { body: { property_id: connection, acknowledgements } })
const replay = (body: object) =>
  call('POST', '/reservations/events/replay', { body: { property_id: connection, ...body } })
const id = (sequence: number) => eventId(connection, sequence)
const states = async () =>
  (await list()).body.events.map(({ delivery }: { delivery: { state: string } }) => delivery.state)
const listed = (count: number) => eventually(async () => expect((await list()).body.events).toHaveLength(count))
const become = (...expected: string[]) => eventually(async () => expect(await states()).toEqual(expected))
const deliveries = () =>
  receiver.requests.filter(({ headers }) => headers['service-event-type'] !== 'callback.challenge')

describe('GET /reservations/events', () => {
  it('lists events byte for byte as delivered, with their delivery and acknowledgement', async () => {
    expect((await register()).status).toBe(201)
    await publish(1)
    await become('delivered')
    const { text, status } = await list()
    const own = envelope(complete({ connectionId: connection }))
    const delivery = '{"state":"delivered","attempts":1,"last_status":200,"last_error":null,"next_attempt_at":null}'
    expect([status, text]).toEqual([
      200,
      `{"schema_version":"1.0.0","property_id":"${connection}","events":[${own.slice(0, -1)},"delivery":${delivery},` +
        `"acknowledgement":null}],"pagination":{"limit":50,"count":1,"has_more":false,"next_cursor":null}}`,
    ])
    expect(deliveries().map(({ body }) => body.toString())).toEqual([own])
  })

  it('continues by cursor, with the filter of its first page', async () => {
    await publish(1, 2, 3, 4, 5)
    await listed(5)
    await acknowledge({ event_id: id(2), outcome: 'processed' })
    const sequencesOf = ({ body }: { body: { events: { sequence: number }[] } }) => body.events.map((e) => e.sequence)
    const first = await list('&limit=2&status=unacknowledged')
    expect([sequencesOf(first), first.body.pagination.has_more]).toEqual([[1, 3], true])
    const cursor = first.body.pagination.next_cursor
    const second = await list(`&cursor=${cursor}`)
    expect([sequencesOf(second), second.body.pagination]).toEqual([
      [4, 5],
      { limit: 50, count: 2, has_more: false, next_cursor: null },
    ])
    expect(sequencesOf(await list('&after_sequence=3'))).toEqual([4, 5])
    expect(sequencesOf(await list(`&after_sequence=4&cursor=${cursor}`))).toEqual([5])
    expect(sequencesOf(await list(`&status=all&cursor=${cursor}`))).toEqual([4, 5])
    expect(sequencesOf(await list('&status=failed'))).toEqual([])
    const tampered = await list(`&cursor=${cursor.slice(0, -2)}xx`)
    expect([tampered.status, tampered.body.error.code]).toEqual([400, 'invalid_cursor'])
  })

  it('lists the newest first, and events of one state; a cursor keeps both', async () => {
    await publish(1, 2, 3, 4, 5)
    await listed(5)
    await acknowledge({ event_id: id(2), outcome: 'processed' })
    const sequencesOf = ({ body }: { body: { events: { sequence: number }[] } }) => body.events.map((e) => e.sequence)
    const first = await list('&order=desc&state=not_configured&limit=2')
    expect(sequencesOf(first)).toEqual([5, 4])
    const cursor = first.body.pagination.next_cursor
    const rest = await list(`&cursor=${cursor}`)
    expect([sequencesOf(rest), rest.body.pagination.next_cursor]).toEqual([[3, 2, 1], null])
    expect(sequencesOf(await list(`&order=desc&after_sequence=1&cursor=${cursor}`))).toEqual([3, 2])
    const bounded = await list('&order=desc&after_sequence=2&limit=2')
    const end = await list(`&cursor=${bounded.body.pagination.next_cursor}`)
    expect([sequencesOf(bounded), sequencesOf(end), end.body.pagination.next_cursor]).toEqual([[5, 4], [3], null])
    for (const other of ['&order=asc', '&state=failed']) {
      const { status, body } = await list(`${other}&cursor=${cursor}`)
      expect([status, body.error.code]).toEqual([400, 'invalid_cursor'])
    }
    expect(sequencesOf(await list('&state=pending'))).toEqual([])
    expect((await register()).body).toMatchObject({ pending: 0, failed: 0, last_success_at: null })
    await publish(6)
    await eventually(async () => expect(sequencesOf(await list('&state=delivered'))).toEqual([6]))
    const { body } = await dispatch.call(service, 'GET', '/callback', { connection })
    expect(body).toMatchObject({ pending: 0, failed: 0, last_success_at: expect.any(String) })
  })

  it.each([
    '&state=lost',
    '&order=newest',
    '&status=lost',
    '&limit=0',
    '&limit=101',
    '&after_sequence=-1',
    '&after_sequence=1.5',
    '&status=',
    '&cursor=',
  ])('refuses %s', async (query) => {
    const { status, body } = await list(query)
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  })

  it('refuses a sequence before dropped events only if the reader would miss one', async () => {
    await publish(1, 2, 3)
    await listed(3)
    await dispatch.sql.query(`UPDATE event_summary SET dropped_sequence = 2 WHERE connection_id = $1`, [connection])
    expect((await list('&after_sequence=1')).body.error.code).toBe('events_expired')
    expect((await list('&after_sequence=1')).status).toBe(410)
    expect((await list('&after_sequence=2')).status).toBe(200)
    expect((await list()).status).toBe(200)
  })

  it('hides events of other connections', async () => {
    await publish(1)
    await listed(1)
    const other = `con_${randomUUID().replaceAll('-', '')}`
    expect((await list()).body.events).toHaveLength(1)
    const { status, body } = await call('GET', `/reservations/events?property_id=${other}`)
    expect([status, body.error.code]).toEqual([403, 'property_forbidden'])
  })
})

describe('POST /reservations/ack', () => {
  it('counts each event once, and returns the number left', async () => {
    await publish(1, 2, 3)
    await listed(3)
    const { status, body } = await acknowledge(
      { event_id: id(1), outcome: 'processed', partner_reservation_id: 'P-1' },
      { event_id: id(1), outcome: 'processed' },
      { event_id: id(2), outcome: 'deferred' },
      { event_id: 'evt_unknown', outcome: 'rejected', reason: 'no such room' },
    )
    expect([status, body]).toEqual([
      200,
      {
        schema_version: '1.0.0',
        property_id: connection,
        results: [
          { event_id: id(1), status: 'acknowledged' },
          { event_id: id(1), status: 'already_acknowledged' },
          { event_id: id(2), status: 'acknowledged' },
          { event_id: 'evt_unknown', status: 'not_found' },
        ],
        unacknowledged: 2,
      },
    ])
    const later = await acknowledge({ event_id: id(2), outcome: 'rejected' }, { event_id: id(1), outcome: 'rejected' })
    expect(later.body.results.map(({ status }: { status: string }) => status)).toEqual([
      'acknowledged',
      'already_acknowledged',
    ])
    expect(later.body.unacknowledged).toBe(1)
    const { events } = (await list()).body
    expect(events[0].acknowledgement).toEqual({ outcome: 'processed', at: expect.stringMatching(/Z$/) })
    expect(events[2].acknowledgement).toBeNull()
  })

  it('gives the same answer for the same key', async () => {
    await publish(1)
    await listed(1)
    const body = { property_id: connection, acknowledgements: [{ event_id: id(1), outcome: 'processed' }] }
    const first = await call('POST', '/reservations/ack', { body, key: 'once' })
    const again = await call('POST', '/reservations/ack', { body, key: 'once' })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  })

  it("does not find another tenant's event", async () => {
    const other = `con_${randomUUID().replaceAll('-', '')}`
    await dispatch.publish({ connectionId: other })
    await eventually(async () => {
      const { rowCount } = await dispatch.sql.query('SELECT FROM event WHERE connection_id = $1', [other])
      expect(rowCount).toBe(1)
    })
    const { body } = await acknowledge({ event_id: eventId(other, 1), outcome: 'processed' })
    expect(body.results).toEqual([{ event_id: eventId(other, 1), status: 'not_found' }])
  })

  it.each([
    [[]],
    [[{ event_id: 'evt_1', outcome: 'lost' }]],
    [[{ outcome: 'processed' }]],
    [[{ event_id: 'evt_1', outcome: 'processed', reason: null }]],
    [Array.from({ length: 201 }, () => ({ event_id: 'evt_1', outcome: 'processed' }))],
  ])('refuses %j', async (acknowledgements) => {
    const { status, body } = await acknowledge(...acknowledgements)
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  })
})

describe('POST /reservations/events/replay', () => {
  it('requires a callback', async () => {
    await publish(1)
    await become('not_configured')
    const { status, body } = await replay({ event_ids: [id(1)] })
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })

  it('delivers events recorded before the callback existed, and delivered events again', async () => {
    await publish(1, 2)
    await become('not_configured', 'not_configured')
    await register()
    const { status, body } = await replay({ from_sequence: 1, to_sequence: 2 })
    expect([status, body]).toEqual([
      202,
      {
        schema_version: '1.0.0',
        property_id: connection,
        replay_id: expect.stringMatching(/^rpl_[0-9a-f]{32}$/),
        events: 2,
      },
    ])
    await become('delivered', 'delivered')
    expect((await replay({ from_sequence: 1e21, to_sequence: 1e300 })).body.events).toBe(0)
    expect((await replay({ event_ids: [id(2), 'evt_unknown', '\u0000'] })).body.events).toBe(1)
    await eventually(() =>
      expect(deliveries().map(({ headers }) => headers['service-delivery-attempt'])).toEqual(['1', '1', '2']),
    )
    await become('delivered', 'delivered')
  })

  it.each([
    [{}, ''],
    [{ event_ids: ['evt_1'], from_sequence: 1, to_sequence: 2 }, '/from_sequence'],
    [{ from_sequence: 1 }, '/to_sequence'],
    [{ to_sequence: 1 }, '/from_sequence'],
    [{ from_sequence: 2, to_sequence: 1 }, '/to_sequence'],
    [{ event_ids: [] }, '/event_ids'],
    [{ event_ids: [7] }, '/event_ids/0'],
  ])('refuses %j', async (body, pointer) => {
    const refused = await replay(body)
    expect([refused.status, refused.body.error.details[0].pointer]).toEqual([400, pointer])
  })
})

describe('a deleted callback', () => {
  it('takes its waiting deliveries with it; its successor starts with later events', async () => {
    await register()
    receiver.script = answer(500)
    await publish(1)
    await eventually(async () => expect((await list()).body.events[0]?.delivery.attempts).toBe(1))
    const waiting = (await list()).body.events[0].delivery
    expect(waiting).toMatchObject({ state: 'pending', last_status: 500, last_error: 'unexpected_status' })
    expect(Date.parse(waiting.next_attempt_at)).toBeGreaterThan(Date.now())
    expect((await dispatch.call(service, 'DELETE', '/callback', { connection })).status).toBe(204)
    expect(await states()).toEqual(['not_configured'])
    receiver.script = good
    await register()
    await publish(2)
    await become('not_configured', 'delivered')
  })
})

import { randomUUID } from 'node:crypto'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { type Call, DispatchProcesses } from './dispatch-process.js'
import { answer, good, ScriptedReceiver, verified } from './scripted-receiver.js'

let dispatch: DispatchProcesses
let service: ServiceProcess
let receiver: ScriptedReceiver
let connection: string
beforeAll(async () => {
  dispatch = await DispatchProcesses.create()
  service = await dispatch.start()
})
afterAll(() => dispatch.stop())
beforeEach(async () => {
  connection = `con_${randomUUID()}`
  receiver = await new ScriptedReceiver(good).start()
})
afterEach(() => receiver.stop())

const call = (method: string, path: string, given: Call = {}) =>
  dispatch.call(service, method, path, { connection, ...given })
const put = () => call('PUT', '/callback', { body: { url: receiver.url() } })
const made = async (): Promise<string> => (await put()).body.secret
const row = async () =>
  (await dispatch.sql.query('SELECT * FROM callback WHERE connection_id = $1', [connection])).rows[0]
const suspend = (state: string) =>
  dispatch.sql.query('UPDATE callback SET state = $2, suspended_at = now() WHERE connection_id = $1', [
    connection,
    state,
  ])

describe('a callback', () => {
  it('is 404 before it is registered and after it was deleted', async () => {
    const absent = async () => {
      const calls = [call('GET', '/callback'), call('DELETE', '/callback'), call('POST', '/callback/test')]
      const answers = await Promise.all([
        ...calls,
        call('POST', '/callback/resume'),
        call('POST', '/callback/rotate-secret'),
      ])
      return answers.map(({ status, body }) => [status, body.error.code])
    }
    const nothing = Array.from({ length: 5 }, () => [404, 'not_found'])
    expect(await absent()).toEqual(nothing)
    await made()
    const deleted = await call('DELETE', '/callback')
    expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([204, '', null])
    expect(await absent()).toEqual(nothing)
  })

  it('is tested with a signed event, once per key', async () => {
    const secret = await made()
    const key = randomUUID()
    const tested = await call('POST', '/callback/test', { key, body: {} })
    expect([tested.status, tested.body]).toEqual([
      200,
      {
        schema_version: '1.0.0',
        property_id: connection,
        delivered: true,
        status: 200,
        error: null,
        duration_ms: expect.any(Number),
      },
    ])
    expect(verified(secret, receiver.requests[1]!)).toMatchObject({ type: 'callback.test', property_id: connection })
    expect((await call('POST', '/callback/test', { key, body: {} })).text).toBe(tested.text)
    expect(receiver.requests).toHaveLength(2)
    receiver.script = answer(500)
    expect((await call('POST', '/callback/test')).body).toMatchObject({
      delivered: false,
      status: 500,
      error: 'unexpected_status',
    })
    receiver.script = (socket) => socket.resetAndDestroy()
    expect((await call('POST', '/callback/test')).body).toMatchObject({
      delivered: false,
      status: null,
      error: 'connection_reset',
    })
    const indexed = 'SELECT FROM event WHERE connection_id = $1'
    expect((await dispatch.sql.query(indexed, [connection])).rowCount).toBe(0)
  })

  it('has two secrets during a rotation, and never three', async () => {
    const first = await made()
    const rotate = async (body?: object) => (await call('POST', '/callback/rotate-secret', body ? { body } : {})).body
    const passing = async (...secrets: string[]) => {
      await call('POST', '/callback/test')
      const request = receiver.requests.at(-1)!
      const count = request.headers['webhook-signature']!.split(' ').length
      return [
        count,
        ...secrets.map((secret) => {
          try {
            return Boolean(verified(secret, request))
          } catch {
            return false
          }
        }),
      ]
    }
    const { secret: second, ...shown } = await rotate()
    expect(shown).toMatchObject({ property_id: connection, state: 'active' })
    expect(await passing(first, second)).toEqual([2, true, true])
    const { secret: third } = await rotate({ overlap_seconds: 60 })
    expect(await passing(first, second, third)).toEqual([2, false, true, true])
    const { secret: fourth } = await rotate({ overlap_seconds: 0 })
    expect(await passing(second, third, fourth)).toEqual([1, false, false, true])
    await rotate({ overlap_seconds: 3 })
    await dispatch.sql.query(
      `UPDATE callback SET previous_secret_ends_at = now() - interval '1 s' WHERE connection_id = $1`,
      [connection],
    )
    expect(await passing(fourth)).toEqual([1, false])
    for (const overlap_seconds of [-1, 1.5, '60', 2_592_001]) {
      const { error } = await rotate({ overlap_seconds })
      expect(error.details[0].pointer).toBe('/overlap_seconds')
    }
  })

  it('that is suspended can be resumed by its partner, unless an operator suspended it', async () => {
    await made()
    const resume = async () => (await call('POST', '/callback/resume')).body
    const shown = (await call('GET', '/callback')).body
    const { pending: _1, failed: _2, last_success_at: _3, ...active } = shown
    expect(await call('POST', '/callback/resume')).toMatchObject({ status: 200, body: active })
    expect((await call('GET', '/callback')).body).toEqual(shown)
    await suspend('suspended')
    const { revision } = await row()
    expect((await call('GET', '/callback')).body).toMatchObject({
      state: 'suspended',
      suspended_at: expect.stringMatching(/\.\d{3}Z$/),
    })
    expect(await resume()).toMatchObject({ state: 'active', suspended_at: null })
    expect(Number((await row()).revision)).toBeGreaterThan(Number(revision))
    await suspend('suspended_by_operator')
    expect((await resume()).error.code).toBe('invalid_transition')
  })

  it('takes events again after a new registration that passes, unless an operator suspended it', async () => {
    await made()
    await suspend('suspended')
    expect((await put()).body).toMatchObject({ state: 'active', suspended_at: null })
    await suspend('suspended_by_operator')
    expect((await put()).body).toMatchObject({ state: 'suspended_by_operator', suspended_at: expect.any(String) })
  })
})

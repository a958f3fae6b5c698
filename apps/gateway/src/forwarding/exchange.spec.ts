import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { jest } from '@jest/globals'
import type { RequestRecord } from '@connectivity/service-kit/request-record'
import type { Pool } from 'undici'
import { Exchange } from './exchange.js'

/** A partner that reads for ever, and whether its connection was broken off. */
class SlowReader extends EventEmitter {
  headersSent = false
  destroyed = false
  writeHead() {
    this.headersSent = true
    return this
  }
  destroy() {
    this.destroyed = true
  }
}

const record: RequestRecord = { trace: {} as never, route: null, code: null, fields: {} }
const asked = { id: 'x', service: 'reservation-feed' as const, limitHeaders: undefined, record }
const request = { method: 'GET' as const, path: '/', headers: {}, body: null }

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }))
afterEach(() => void jest.useRealTimers())

describe('a service that does not answer', () => {
  it.each([
    [undefined, 10_000],
    [20_000, 20_000],
  ])('is waited for as long as its operation says (%s): %d ms', async (deadline, expected) => {
    const answered = jest.fn((_status: number) => ({ end: () => undefined }))
    const response = Object.assign(new EventEmitter(), { writeHead: answered }) as unknown as ServerResponse
    const dispatch: Pool['dispatch'] = () => true
    const place = { enter: () => null, leave: () => undefined }
    const done = new Exchange(response, asked).run({ dispatch } as Pool, request, place, deadline)
    await jest.advanceTimersByTimeAsync(expected - 1)
    expect(answered).not.toHaveBeenCalled()
    await jest.advanceTimersByTimeAsync(1)
    await done
    expect(answered.mock.calls[0]![0]).toBe(504)
  })
})

describe('an answer that is read too slowly', () => {
  it('is broken off 70 s after the request, and gives its place back', async () => {
    const reader = new SlowReader()
    // A service whose answer has begun and ends only when it is cancelled.
    const dispatch: Pool['dispatch'] = (_options, answer) => {
      const controller = { abort: (reason: Error) => answer.onResponseError?.(controller, reason) } as never
      answer.onRequestStart?.(controller, {})
      answer.onResponseStart?.(controller, 200, {})
      return true
    }
    const leave = jest.fn()
    const exchange = new Exchange(reader as unknown as ServerResponse, asked)
    const done = exchange.run({ dispatch } as Pool, request, { enter: () => null, leave })
    await jest.advanceTimersByTimeAsync(69_999)
    expect({ destroyed: reader.destroyed, left: leave.mock.calls.length }).toEqual({ destroyed: false, left: 0 })
    await jest.advanceTimersByTimeAsync(1)
    await done
    expect({ destroyed: reader.destroyed, left: leave.mock.calls.length }).toEqual({ destroyed: true, left: 1 })
  })
})

describe('a partner who has left before', () => {
  it('takes no place and causes no request', async () => {
    const response = Object.assign(new EventEmitter(), { destroyed: true }) as unknown as ServerResponse
    const [dispatch, enter] = [jest.fn<Pool['dispatch']>(), jest.fn(() => null)]
    await new Exchange(response, asked).run({ dispatch } as unknown as Pool, request, { enter, leave: jest.fn() })
    expect([dispatch, enter].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
  })
})

describe('a connection that breaks before the answer', () => {
  /** How often a request is sent when the first connection breaks. */
  async function tries(method: 'GET' | 'POST', headers: Record<string, string>): Promise<number> {
    const response = Object.assign(new EventEmitter(), {
      writeHead: () => ({ end: () => undefined }),
    }) as unknown as ServerResponse
    const broken = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    const dispatch = jest.fn<Pool['dispatch']>((_options, answer) => {
      answer.onResponseError?.({} as never, dispatch.mock.calls.length === 1 ? broken : new Error('something else'))
      return true
    })
    const place = { enter: () => null, leave: () => undefined }
    await new Exchange(response, asked).run({ dispatch } as unknown as Pool, { ...request, method, headers }, place)
    return dispatch.mock.calls.length
  }

  it.each([
    ['GET', {}, 2],
    ['POST', { 'idempotency-key': 'k' }, 2],
    ['POST', {}, 1],
  ] as const)('sends a %s with %j %d times', async (method, headers, expected) => {
    expect(await tries(method, headers)).toBe(expected)
  })
})

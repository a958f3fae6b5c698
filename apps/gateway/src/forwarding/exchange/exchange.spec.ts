import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { jest } from '@jest/globals'
import type { RequestRecord } from '@connectivity/service-kit/http'
import type { Pool } from 'undici'
import { AnswerMemory } from '../answers/answer-memory.service.js'
import { Exchange } from './exchange.js'
import { UpstreamQueue } from './upstream-queue.js'

/** Response to a partner that never finishes reading; `destroyed` shows whether its connection was aborted. */
class SlowReader extends EventEmitter {
  headersSent = false
  destroyed = false
  socket = null
  writeHead() {
    this.headersSent = true
    return this
  }
  destroy() {
    this.destroyed = true
  }
}

const record: RequestRecord = {
  trace: {} as never,
  route: null,
  code: null,
  message: null,
  details: undefined,
  isForwarded: false,
  storedAnswer: null,
  waited: 0,
  fields: {},
}
const forwarded = { id: 'x', service: 'reservation-feed' as const, applicationId: 'a', addedHeaders: undefined, record }
const request = { method: 'GET' as const, path: '/', headers: {}, body: null }

let memory: AnswerMemory
let queue: UpstreamQueue
beforeEach(() => {
  memory = new AnswerMemory()
  queue = new UpstreamQueue({ connections: 1, perApplication: 1, reserved: 0, answerBytes: 1 }, memory)
})

const exchangeFor = (response: ServerResponse) =>
  new Exchange(response, forwarded, memory, (status, headers) => response.writeHead(status, headers))
const upstream = (dispatch: Pool['dispatch']) => ({ pool: { dispatch } as Pool, queue })

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }))
afterEach(() => void jest.useRealTimers())

describe('a service that does not answer', () => {
  it.each([
    [undefined, 10_000],
    [20_000, 20_000],
  ])('gets as much time as its operation defines (%s): %d ms', async (deadline, expected) => {
    const answered = jest.fn((_status: number) => ({ end: () => undefined }))
    const response = Object.assign(new EventEmitter(), {
      setHeader: () => undefined,
      writeHead: answered,
    }) as unknown as ServerResponse
    const dispatch: Pool['dispatch'] = () => true
    const done = exchangeFor(response).run(upstream(dispatch), request, deadline)
    await jest.advanceTimersByTimeAsync(expected - 1)
    expect(answered).not.toHaveBeenCalled()
    await jest.advanceTimersByTimeAsync(1)
    await done
    expect(answered.mock.calls[0]![0]).toBe(504)
  })
})

describe('an answer that is read too slowly', () => {
  it('is aborted 70 s after the request and gives its place back', async () => {
    const reader = new SlowReader()
    // The answer of this service ends only when it is cancelled.
    const dispatch: Pool['dispatch'] = (_options, answer) => {
      const controller = { abort: (reason: Error) => answer.onResponseError?.(controller, reason) } as never
      answer.onRequestStart?.(controller, {})
      answer.onResponseStart?.(controller, 200, {})
      return true
    }
    const exchange = exchangeFor(reader as unknown as ServerResponse)
    const done = exchange.run(upstream(dispatch), request)
    await jest.advanceTimersByTimeAsync(69_999)
    expect({ destroyed: reader.destroyed, held: memory.applications }).toEqual({ destroyed: false, held: 1 })
    await jest.advanceTimersByTimeAsync(1)
    await done
    expect({ destroyed: reader.destroyed, held: memory.applications }).toEqual({ destroyed: true, held: 0 })
  })
})

describe('a request that gets no turn', () => {
  it('is refused with 503 and never sent', async () => {
    void queue.enter('a', new EventEmitter())
    const answered = jest.fn((_status: number, _headers: object) => ({ end: () => undefined }))
    const response = Object.assign(new EventEmitter(), {
      setHeader: () => undefined,
      writeHead: answered,
    }) as unknown as ServerResponse
    const dispatch = jest.fn<Pool['dispatch']>()
    const done = exchangeFor(response).run(upstream(dispatch), request)
    await jest.advanceTimersByTimeAsync(10_000)
    await done
    expect(dispatch).not.toHaveBeenCalled()
    expect(answered.mock.calls[0]).toMatchObject([503, { 'retry-after': '2' }])
  })
})

describe('an exchange whose partner has disconnected', () => {
  it('takes no place and causes no request', async () => {
    const response = Object.assign(new EventEmitter(), { destroyed: true }) as unknown as ServerResponse
    const dispatch = jest.fn<Pool['dispatch']>()
    await exchangeFor(response).run(upstream(dispatch), request)
    expect({ sent: dispatch.mock.calls.length, held: memory.applications }).toEqual({ sent: 0, held: 0 })
  })
})

describe('a connection that breaks before the answer', () => {
  /** Returns how often a request is sent when the first connection breaks. */
  async function tries(method: 'GET' | 'POST', headers: Record<string, string>): Promise<number> {
    const response = Object.assign(new EventEmitter(), {
      setHeader: () => undefined,
      writeHead: () => ({ end: () => undefined }),
    }) as unknown as ServerResponse
    const broken = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    const dispatch = jest.fn<Pool['dispatch']>((_options, answer) => {
      answer.onResponseError?.({} as never, dispatch.mock.calls.length === 1 ? broken : new Error('something else'))
      return true
    })
    await exchangeFor(response).run(upstream(dispatch), { ...request, method, headers })
    expect(memory.applications).toBe(0)
    return dispatch.mock.calls.length
  }

  it.each([
    ['GET', {}, 2],
    ['POST', { 'idempotency-key': 'k' }, 2],
    ['POST', {}, 1],
  ] as const)('makes a %s with %j be sent %d times in total', async (method, headers, expected) => {
    expect(await tries(method, headers)).toBe(expected)
  })
})

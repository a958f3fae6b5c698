import { jest } from '@jest/globals'
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@connectivity/contracts/errors'
import { Health } from '@connectivity/service-kit/service'
import { eventually } from '@connectivity/testing/eventually'
import type { Admission } from '../../admission/admission.service.js'
import type { Admitted } from '../../admission/admitted.js'
import type { Changes } from '../../live/changes.service.js'
import type { ChangeStreams } from './change-streams.client.js'
import type { HeldAnswer } from '../answers/held-answer.js'
import type { ServiceCalls } from '../exchange/service-calls.service.js'
import { requestsWaiting, waitsEnded } from './waiting-metrics.js'
import { WaitingRequests } from './waiting-requests.service.js'

const NOTHING_NEW: HeldAnswer = { status: 200, headers: {}, body: '{}' }

/** Waiting requests with changes, a stop of the process and looks that a test writes itself. */
function scripted(...looks: (HeldAnswer | number | Error)[]) {
  const look = jest.fn<ServiceCalls['look']>()
  for (const found of looks) {
    if (found instanceof Error) look.mockRejectedValueOnce(found)
    else look.mockResolvedValueOnce(found)
  }
  const end = jest.fn()
  const calls = { look, end: jest.fn<ServiceCalls['end']>(), fail: jest.fn<ServiceCalls['fail']>() }
  let change: (service: string, connectionId: string | null) => void = () => undefined
  let changeAccess: (kind: string, id: string) => void = () => undefined
  const readmit = jest.fn((request: Admitted) => Promise.resolve(request))
  const health = new Health()
  const requests = new WaitingRequests(
    { onChange: (listener: typeof change) => (change = listener) } as unknown as ChangeStreams,
    {
      onChange: (listener: typeof changeAccess) => (changeAccess = listener),
      onEra: () => undefined,
    } as unknown as Changes,
    health,
    { readmit } as unknown as Admission,
    calls as unknown as ServiceCalls,
    { MAX_WAITING_REQUESTS: 100 },
  )
  const response = Object.assign(new EventEmitter(), { setHeader: jest.fn(), writeHead: jest.fn(() => ({ end })) })
  const record = { waited: 0, fields: {} }
  const admitted = {
    id: 'correlation',
    method: 'GET',
    query: 'wait=20',
    operation: { owner: 'reservation-feed', waits: true },
    connection: { connectionId: 'con_1' },
    credential: { applicationId: 'app_1', keyId: 'key_1' },
    validUntil: Infinity,
    http: { headers: {}, record },
    reply: { raw: response },
    answerHeaders: {},
  } as unknown as Admitted
  return {
    ...calls,
    readmit,
    admitted,
    record,
    response,
    answer: () => requests.answer(admitted),
    change: (connectionId: string | null = 'con_1') => change('reservation-feed', connectionId),
    changeAccess: (kind: string, id: string) => changeAccess(kind, id),
    stop: () => health.markStopping(),
    disconnect: () => response.emit('close'),
  }
}

const countWaiting = async (): Promise<number> => (await requestsWaiting.get()).values.at(0)?.value ?? 0

const countLost = async (): Promise<number> =>
  (await waitsEnded.get()).values.find(({ labels }) => labels.by === 'backstop')?.value ?? 0

describe('a waiting request', () => {
  afterEach(async () => expect(await countWaiting()).toBe(0))

  it('looks again after each change and is answered once', async () => {
    const poll = scripted(NOTHING_NEW, NOTHING_NEW, NOTHING_NEW, 200)
    await poll.answer()
    expect(await countWaiting()).toBe(1)
    poll.change()
    poll.change(null)
    await eventually(() => expect(poll.look).toHaveBeenCalledTimes(2))
    poll.change()
    await eventually(() => expect(poll.look).toHaveBeenCalledTimes(3))
    // The change comes during a rest and is not forgotten.
    poll.change()
    await eventually(() => expect(poll.end).toHaveBeenCalledTimes(1))
    poll.change()
    poll.disconnect()
    expect(poll.end).toHaveBeenCalledWith(poll.admitted, 200)
    expect(poll.look).toHaveBeenCalledTimes(4)
  })

  it.each([
    ['first', [new Error('a defect')]],
    ['second', [NOTHING_NEW, new Error('a defect')]],
  ])('fails and leaves its place when its %s look fails unexpectedly', async (_which, looks) => {
    const poll = scripted(...looks)
    await poll.answer()
    poll.change()
    await eventually(() => expect(poll.fail).toHaveBeenCalledWith(poll.admitted, new Error('a defect')))
    expect(poll.end).not.toHaveBeenCalled()
  })

  it('ends with the answer that it has when the process stops, even if its access changes at the same moment', async () => {
    const poll = scripted(NOTHING_NEW)
    const answered = poll.answer()
    poll.stop()
    poll.changeAccess('credential', 'key_1')
    await answered
    await eventually(() => expect(poll.end).toHaveBeenCalledWith(poll.admitted, NOTHING_NEW))
    expect(poll.look).toHaveBeenCalledTimes(1)
  })

  it('does not begin to wait at a process that stops', () => {
    const poll = scripted()
    poll.stop()
    expect(poll.answer()).toBeNull()
    expect(poll.look).not.toHaveBeenCalled()
  })

  it('records the time of its wait before the log line of a client that left is written', async () => {
    const poll = scripted(NOTHING_NEW)
    let logged = 0
    poll.admitted.reply.raw.on('close', () => (logged = poll.record.waited))
    await poll.answer()
    await delay(20)
    poll.disconnect()
    expect(logged).toBeGreaterThan(10)
    await eventually(() => expect(poll.end).toHaveBeenCalledTimes(1))
  })

  it('ignores changes of kinds that it does not know', async () => {
    const poll = scripted(NOTHING_NEW)
    await poll.answer()
    poll.changeAccess('of a later release', 'key_1')
    poll.disconnect()
    await eventually(() => expect(poll.end).toHaveBeenCalledTimes(1))
    expect(poll.look).toHaveBeenCalledTimes(1)
  })

  /** 20 requests of one application whose looks last until the test ends them. */
  function crowd() {
    const poll = scripted()
    const looks: { end: (found: HeldAnswer | number) => void; beginAnswer: () => void }[] = []
    poll.look.mockImplementation((_admitted, _kind, options) => {
      const { promise, resolve } = Promise.withResolvers<HeldAnswer | number>()
      looks.push({ end: resolve, beginAnswer: options!.onAnswer! })
      return promise
    })
    for (let count = 0; count < 20; count++) void poll.answer()
    return { ...poll, looks }
  }

  it('looks in its turn when many of its application look, as soon as another answer begins or a look ends', async () => {
    const { looks, end } = crowd()
    await eventually(() => expect(looks).toHaveLength(16))
    looks[0]!.beginAnswer()
    await eventually(() => expect(looks).toHaveLength(17))
    looks[0]!.end(200)
    looks[1]!.end(200)
    await eventually(() => expect(looks).toHaveLength(18))
    for (let count = 2; count < 20; count++) {
      await eventually(() => expect(looks.length).toBeGreaterThan(count))
      looks[count]!.end(200)
    }
    await eventually(() => expect(end).toHaveBeenCalledTimes(20))
  })

  it('is refused when its turn to look does not come in time', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })
    const { looks, response, end } = crowd()
    await jest.advanceTimersByTimeAsync(10_000)
    jest.useRealTimers()
    expect(response.writeHead.mock.calls).toEqual(Array(4).fill([503, expect.objectContaining({ 'retry-after': '2' })]))
    for (const look of looks) look.end(200)
    await eventually(() => expect(end).toHaveBeenCalledTimes(16))
  })

  it('leaves the queue at once when its client leaves', async () => {
    const { looks, end, admitted, disconnect } = crowd()
    await eventually(() => expect(looks).toHaveLength(16))
    disconnect()
    await eventually(() => expect(end.mock.calls).toEqual(Array(4).fill([admitted, 499])))
    for (const look of looks) look.end(200)
    await eventually(() => expect(end).toHaveBeenCalledTimes(20))
  })

  it('is refused in the queue when its access ends', async () => {
    const { looks, end, readmit, response, changeAccess } = crowd()
    await eventually(() => expect(looks).toHaveLength(16))
    readmit.mockRejectedValue(new ServiceError('property_forbidden', 'The connection is closed.'))
    changeAccess('credential', 'key_1')
    await eventually(() => expect(response.writeHead).toHaveBeenCalledTimes(4))
    expect(looks).toHaveLength(16)
    for (const look of looks) look.end(200)
    await eventually(() => expect(end).toHaveBeenCalledTimes(20))
  })

  it('looks without a turn when the process stops', async () => {
    const { looks, end, stop } = crowd()
    await eventually(() => expect(looks).toHaveLength(16))
    stop()
    await eventually(() => expect(looks).toHaveLength(20))
    for (const look of looks) look.end(NOTHING_NEW)
    await eventually(() => expect(end).toHaveBeenCalledTimes(20))
  })

  it.each([
    ['does not count a notification as lost that comes just after the last look', 100, 0],
    ['counts a notification as lost that does not come within a second after the last look', null, 1],
  ])('%s', async (_what, notifiedAfter, lost) => {
    const poll = scripted(NOTHING_NEW)
    Object.assign(poll.admitted, { query: 'wait=1' })
    poll.look.mockImplementationOnce((_admitted, _kind, options) => {
      options!.onAnswer!()
      if (notifiedAfter !== null) setTimeout(() => poll.change(), notifiedAfter)
      return Promise.resolve(200)
    })
    const before = await countLost()
    await poll.answer()
    await eventually(() => expect(poll.end).toHaveBeenCalledWith(poll.admitted, 200))
    expect((await countLost()) - before).toBe(lost)
  })
})

import { jest } from '@jest/globals'
import { PropertyTurns } from './property-turns.service.js'

/** A piece of work that the test ends. */
function piece() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = jest.fn(() => promise)
  return { work, end: resolve, started: () => work.mock.calls.length > 0 }
}
const pieces = (count: number) => Array.from({ length: count }, piece)
const settled = () => new Promise((resolve) => setImmediate(resolve))
const locked = () => Promise.reject(Object.assign(new Error('lock timeout'), { code: '55P03' }))

describe('calls of a property', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  it('of one connection run one at a time in the order of arrival, whether they succeed or fail', async () => {
    const turns = new PropertyTurns()
    const calls = pieces(3)
    const done = calls.map(({ work }, index) =>
      turns.take('a', 'con_1', async () => {
        await work()
        if (index === 0) throw new Error('refused')
      }),
    )
    const started = () => calls.map((call) => call.started())
    await settled()
    expect(started()).toEqual([true, false, false])
    calls[0]!.end()
    await expect(done[0]).rejects.toThrow('refused')
    await settled()
    expect(started()).toEqual([true, true, false])
    calls[1]!.end()
    await done[1]
    await settled()
    expect(started()).toEqual([true, true, true])
    calls[2]!.end()
    await done[2]
  })

  it('do not wait for those of another property', async () => {
    const turns = new PropertyTurns()
    const [one, other] = pieces(2)
    const done = [turns.take('a', 'con_1', one!.work), turns.take('b', 'con_1', other!.work)]
    await settled()
    expect(other!.started()).toBe(true)
    for (const { end } of [one!, other!]) end()
    await Promise.all(done)
  })

  it('begin at once if no other call of their connection runs, for up to three connections', async () => {
    const turns = new PropertyTurns()
    const calls = ['greedy', 'greedy', 'b', 'c', 'd'].map((connection) => ({ connection, ...piece() }))
    const done = calls.map(({ connection, work }) => turns.take('a', connection, work))
    await settled()
    expect(calls.map((call) => call.started())).toEqual([true, false, true, true, false])
    for (const { end } of calls) end()
    await Promise.all(done)
  })

  it('of several connections begin in turn, however many calls one of them has', async () => {
    const turns = new PropertyTurns()
    const order: string[] = []
    const begin = (connection: string) =>
      turns.take('a', connection, async () => {
        order.push(connection)
        await settled()
      })
    await Promise.all([
      ...Array.from({ length: 12 }, () => begin('greedy')),
      ...Array.from({ length: 3 }, () => begin('modest')),
    ])
    expect(order.slice(0, 6)).toEqual(['greedy', 'modest', 'greedy', 'modest', 'greedy', 'modest'])
    expect(order).toHaveLength(15)
  })

  it('are refused at once when 32 of their connection wait, and those of another connection are not', async () => {
    const turns = new PropertyTurns()
    const calls = pieces(33)
    const done = calls.map(({ work }) => turns.take('a', 'greedy', work))
    await expect(turns.take('a', 'greedy', piece().work)).rejects.toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 2,
    })
    const other = piece()
    const modest = turns.take('a', 'modest', other.work)
    await settled()
    expect(other.started()).toBe(true)
    for (const { end } of [...calls, other]) end()
    await Promise.all([...done, modest])
  })

  it('are refused after 7 s in the queue, which continues without them', async () => {
    const turns = new PropertyTurns()
    const calls = pieces(3)
    const [first, second] = calls.slice(0, 2).map(({ work }) => turns.take('a', 'con_1', work))
    const refused = expect(second).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 2 })
    await jest.advanceTimersByTimeAsync(6_999)
    const third = turns.take('a', 'con_1', calls[2]!.work)
    await jest.advanceTimersByTimeAsync(1)
    await refused
    calls[0]!.end()
    await first
    await settled()
    expect([calls[1]!.started(), calls[2]!.started()]).toEqual([false, true])
    calls[2]!.end()
    await third
  })

  it('get a deadline for the property lock, and are refused if another replica holds it for longer', async () => {
    const turns = new PropertyTurns()
    const work = jest.fn<(deadline: number) => Promise<never>>(locked)
    await expect(turns.take('a', 'con_1', work)).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(work.mock.calls).toEqual([[Date.now() + 7_000]])
  })
})

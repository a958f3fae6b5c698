import { jest } from '@jest/globals'
import { PropertyTurns } from './property-turns.js'

/** A piece of work that ends when it is told to. */
function piece() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = jest.fn(() => promise)
  return { work, end: resolve }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))
const locked = () => Promise.reject(Object.assign(new Error('lock timeout'), { code: '55P03' }))

describe('the calls of a property', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  it('work two at a time in the order of their arrival, whatever becomes of them', async () => {
    const turns = new PropertyTurns()
    const pieces = [piece(), piece(), piece(), piece()]
    const done = pieces.map(({ work }, index) =>
      turns.take('a', async () => {
        await work()
        if (index === 0) throw new Error('refused')
      }),
    )
    const started = () => pieces.map(({ work }) => work.mock.calls.length)
    await settled()
    expect(started()).toEqual([1, 1, 0, 0])
    pieces[0]!.end()
    await expect(done[0]).rejects.toThrow('refused')
    await settled()
    expect(started()).toEqual([1, 1, 1, 0])
    pieces[2]!.end()
    await done[2]
    await settled()
    expect(started()).toEqual([1, 1, 1, 1])
    for (const { end } of pieces) end()
    await Promise.all(done.slice(1))
  })

  it('do not wait for those of another one', async () => {
    const turns = new PropertyTurns()
    const [one, two, other] = [piece(), piece(), piece()]
    const done = [turns.take('a', one.work), turns.take('a', two.work), turns.take('b', other.work)]
    await settled()
    expect(other.work).toHaveBeenCalled()
    for (const { end } of [one, two, other]) end()
    await Promise.all(done)
  })

  it('are refused after 7 s in the queue, which goes on without them', async () => {
    const turns = new PropertyTurns()
    const pieces = [piece(), piece(), piece(), piece()]
    const [first, second, third] = pieces.slice(0, 3).map(({ work }) => turns.take('a', work))
    const refused = expect(third).rejects.toMatchObject({ code: 'service_unavailable', retryAfterSeconds: 2 })
    await jest.advanceTimersByTimeAsync(6_999)
    const fourth = turns.take('a', pieces[3]!.work)
    await jest.advanceTimersByTimeAsync(1)
    await refused
    pieces[0]!.end()
    await first
    await settled()
    expect(pieces[2]!.work).not.toHaveBeenCalled()
    expect(pieces[3]!.work).toHaveBeenCalled()
    for (const { end } of pieces) end()
    await Promise.all([second, fourth])
  })

  it('try again while another replica holds the property, and are refused when that takes too long', async () => {
    const turns = new PropertyTurns()
    const work = jest.fn<() => Promise<string>>()
    work.mockImplementationOnce(locked).mockImplementationOnce(locked).mockResolvedValue('done')
    expect(await turns.take('a', work)).toBe('done')
    expect(work).toHaveBeenCalledTimes(3)
    const stubborn = turns.take('a', async () => {
      jest.setSystemTime(Date.now() + 1_000)
      return locked()
    })
    await expect(stubborn).rejects.toMatchObject({ code: 'service_unavailable' })
  })
})

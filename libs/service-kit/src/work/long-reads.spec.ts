import { setImmediate as turn } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { LongReads } from './long-reads.js'

/** Readings that end when the test ends them. */
function readings() {
  const turns = new LongReads({ message: 'Others are reading.' })
  const running = new Map<string, () => void>()
  const take = (connection: string) =>
    turns.take(connection, () => new Promise<void>((resolve) => running.set(connection, resolve)))
  const end = async (connection: string) => {
    running.get(connection)!()
    running.delete(connection)
    await turn()
  }
  return { take, end, names: () => [...running.keys()] }
}

describe('turns at reading a whole feed', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  it('are two at once, one of a connection', async () => {
    const { take, end, names } = readings()
    void [take('a'), take('a'), take('b'), take('c')]
    await turn()
    expect(names()).toEqual(['a', 'b'])
    await end('b')
    expect(names()).toEqual(['a', 'c'])
    await end('a')
    expect(names()).toEqual(['c', 'a'])
  })

  it('are waited for three seconds, then refused with 503 and Retry-After', async () => {
    const { take, end, names } = readings()
    void take('a')
    const late = expect(take('a')).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'retry-after': '2' },
    })
    await turn()
    jest.advanceTimersByTime(3_000)
    await late
    await end('a')
    expect(names()).toEqual([])
    void take('a')
    await turn()
    expect(names()).toEqual(['a'])
  })

  it('are given up by a reader that disconnects', async () => {
    const turns = new LongReads({ message: 'Others are reading.' })
    let end: () => void
    const first = turns.take('a', () => new Promise<void>((resolve) => (end = resolve)))
    const gone = new AbortController()
    const work = jest.fn(() => Promise.resolve())
    const waiting = turns.take('a', work, gone.signal)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(turns.take('a', work, gone.signal)).rejects.toThrow('gone')
    end!()
    await first
    expect(work).not.toHaveBeenCalled()
  })

  it('pass to the next reader after a failed reading', async () => {
    const turns = new LongReads({ message: 'Others are reading.' })
    const fail = () => turns.take('a', () => Promise.reject(new Error('failed')))
    for (let count = 0; count < 3; count++) await expect(fail()).rejects.toThrow('failed')
  })
})

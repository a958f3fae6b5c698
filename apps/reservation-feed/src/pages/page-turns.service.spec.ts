import { setImmediate as turn } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { PageTurns } from './page-turns.service.js'

const LARGE = 1024 * 1024

/** Pages that end when the test ends them. */
function pages() {
  const turns = new PageTurns()
  const running: { connection: string; end: (bytes: number) => Promise<void> }[] = []
  const ask = (connection: string): void => {
    const { promise, resolve } = Promise.withResolvers<number>()
    const page = { connection, end: (bytes: number) => (resolve(bytes), done(page)) }
    void turns.take(connection, () => {
      running.push(page)
      return promise
    })
  }
  const done = async (page: (typeof running)[number]) => {
    running.splice(running.indexOf(page), 1)
    await turn()
  }
  const askMany = async (...connections: string[]) => {
    connections.forEach(ask)
    await turn()
  }
  return { running, askMany, names: () => running.map(({ connection }) => connection) }
}

describe('turns at pages', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }))
  afterEach(() => void jest.useRealTimers())

  it('allow three pages at once, two of one connection, to those with the fewest first', async () => {
    const { running, askMany, names } = pages()
    await askMany('a', 'a', 'a', 'a', 'b', 'b', 'c')
    expect(names()).toEqual(['a', 'a', 'b'])
    await running[0]!.end(1)
    expect(names()).toEqual(['a', 'b', 'c'])
    await running[0]!.end(1)
    expect(names()).toEqual(['b', 'c', 'a'])
    await running[0]!.end(1)
    expect(names()).toEqual(['c', 'a', 'b'])
  })

  it('allow one page at a time after a large page, with a rest three times as long as the page took', async () => {
    const { running, askMany, names } = pages()
    await askMany('a', 'a', 'a', 'b')
    await running[0]!.end(LARGE)
    expect(names()).toEqual(['a', 'b', 'a'])
    await running[0]!.end(LARGE)
    await askMany('a', 'c')
    expect(names()).toEqual(['b', 'a', 'c'])
    jest.advanceTimersByTime(40)
    await running[1]!.end(LARGE)
    jest.advanceTimersByTime(119)
    await turn()
    expect(names()).toEqual(['b', 'c'])
    jest.advanceTimersByTime(1)
    await turn()
    expect(names()).toEqual(['b', 'c', 'a'])
  })

  it('return to normal after a small page, and after one that failed', async () => {
    const { running, askMany, names } = pages()
    await askMany('a')
    await running[0]!.end(LARGE)
    await askMany('a')
    await running[0]!.end(1)
    await askMany('a', 'a')
    expect(names()).toEqual(['a', 'a'])
    const turns = new PageTurns()
    const failed = () => turns.take('a', () => Promise.reject(new Error('failed')))
    for (let count = 0; count < 4; count++) await expect(failed()).rejects.toThrow('failed')
  })
})

import { logEntry } from '../../test/log-entry.js'
import { EntryQueue } from './entry-queue.js'

describe('the queue of the request log', () => {
  let dropped: [reason: string, count: number][]
  let queue: EntryQueue

  beforeEach(() => {
    dropped = []
    queue = new EntryQueue((...left) => void dropped.push(left))
  })

  it('folds requests into entries that were put back', () => {
    const poll = logEntry('poll')
    queue.add(poll)
    queue.putBack(queue.take(10))
    expect(queue.fold('poll')).toBe(true)
    expect(queue.take(10)).toEqual([{ ...poll, repeated: 2 }])
  })

  it('folds an entry that was added during a failed write into the equal one that is put back', () => {
    const [first, other, second] = [
      logEntry('poll', { repeated: 3 }),
      logEntry(null),
      logEntry('poll', { repeated: 2 }),
    ]
    queue.add(first)
    queue.add(other)
    const failed = queue.take(10)
    queue.add(second)
    queue.add(logEntry('another'))
    queue.putBack(failed)
    expect(queue.fold('poll')).toBe(true)
    expect(queue.take(10).map(({ foldKey, repeated }) => [foldKey, repeated])).toEqual([
      ['poll', 6],
      [null, 1],
      ['another', 1],
    ])
    expect(first.repeated).toBe(6)
  })

  it('counts fold keys among the characters that it holds', () => {
    for (let minute = 0; minute < 5; minute++) queue.add(logEntry(`${minute}`.repeat(4 * 1024 * 1024)))
    expect([queue.length, dropped]).toEqual([
      3,
      [
        ['backlog', 1],
        ['backlog', 1],
      ],
    ])
  })

  it('counts the characters of folded entries no longer', () => {
    const long = { facts: 'x'.repeat(9 * 1024 * 1024) }
    for (let round = 0; round < 5; round++) {
      queue.add(logEntry('poll', long))
      const failed = queue.take(1)
      queue.add(logEntry('poll', { facts: 'x'.repeat(7 * 1024 * 1024 - 10) }))
      queue.putBack(failed)
      queue.take(1)
    }
    expect(queue.length).toBe(0)
    queue.add(logEntry(null, long))
    expect([queue.length, dropped]).toEqual([1, []])
  })
})

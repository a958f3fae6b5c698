import fc from 'fast-check'
import { jest } from '@jest/globals'
import { LogThrottle, OTHER_REASONS, WINDOW } from './log-throttle.js'
import { ThrottledLog } from './throttled-log.js'

interface Place {
  topic: string
  partition: number
}

const place = { topic: 'a', partition: 0 }
const at = (position: number, reason = 'bad', on = place) => ({ place: on, reason, position: String(position) })

describe('the throttle of a log', () => {
  it('lets the first occurrence through and gathers the rest of the window', () => {
    const throttle = new LogThrottle<Place>()
    expect(throttle.note(at(7), 0)).toMatchObject({ place, reason: 'bad', count: 1, first: '7', last: '7' })
    for (const position of [8, 9, 10]) expect(throttle.note(at(position), 5)).toBeNull()
    expect(throttle.due(WINDOW - 1)).toEqual([])
    expect(throttle.due(WINDOW)).toEqual([{ place, reason: 'bad', count: 3, first: '8', last: '10', err: undefined }])
  })

  it('begins the next window with the line, and forgets a place once it is quiet', () => {
    const throttle = new LogThrottle<Place>()
    throttle.note(at(0), 0)
    throttle.note(at(1), 1)
    throttle.due(WINDOW)
    expect(throttle.note(at(2), WINDOW + 1)).toBeNull()
    expect(throttle.due(2 * WINDOW)).toMatchObject([{ count: 1, first: '2', last: '2' }])
    expect(throttle.due(3 * WINDOW)).toEqual([])
    expect(throttle.size).toBe(0)
    expect(throttle.nextDue).toBeNull()
    expect(throttle.note(at(3), 3 * WINDOW + 1)).toMatchObject({ count: 1, first: '3' })
  })

  it('keeps topics, partitions and reasons apart', () => {
    const throttle = new LogThrottle<Place>()
    const kinds = [
      at(0),
      at(0, 'worse'),
      at(0, 'bad', { ...place, partition: 1 }),
      at(0, 'bad', { ...place, topic: 'b' }),
    ]
    for (const kind of kinds) expect(throttle.note(kind, 0)).toMatchObject({ count: 1 })
    expect(throttle.size).toBe(4)
  })

  it('folds the reasons of a place beyond the fifth into one', () => {
    const throttle = new LogThrottle<Place>()
    const lines = Array.from({ length: 1_000 }, (_, index) => throttle.note(at(index, `reason ${index}`), 0))
    expect(lines.filter((line) => line !== null)).toHaveLength(6)
    expect(throttle.size).toBe(6)
    expect(throttle.drain()).toMatchObject([{ reason: OTHER_REASONS, count: 994, first: '6', last: '999' }])
  })

  it('counts every occurrence exactly once, and writes a place and reason at most once a window', () => {
    const step = fc.record({
      partition: fc.nat(2),
      reason: fc.nat(9),
      wait: fc.nat(WINDOW / 2),
      look: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const throttle = new LogThrottle<Place>()
        const written: { key: string; count: number; now: number }[] = []
        let now = 0
        const write = (lines: readonly { place: Place; reason: string; count: number }[]) =>
          written.push(...lines.map(({ place: p, reason, count }) => ({ key: `${p.partition} ${reason}`, count, now })))
        for (const [index, { partition, reason, wait, look }] of steps.entries()) {
          now += wait
          if (look) write(throttle.due(now))
          const line = throttle.note(at(index, String(reason), { ...place, partition }), now)
          if (line) write([line])
          expect(throttle.size).toBeLessThanOrEqual(3 * 6)
        }
        for (const lines of Map.groupBy(written, ({ key }) => key).values())
          for (const [index, line] of lines.entries())
            if (index > 0) expect(line.now - lines[index - 1]!.now).toBeGreaterThanOrEqual(WINDOW)
        write(throttle.drain())
        expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(steps.length)
      }),
    )
  })
})

describe('a throttled log', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  const open = () => {
    const counts: number[] = []
    return { log: new ThrottledLog<Place>(({ count }) => void counts.push(count)), counts }
  }

  it('writes at once, once a window, and what is left at the stop', () => {
    const { log, counts } = open()
    for (const position of [0, 1, 2]) log.note(at(position))
    expect(counts).toEqual([1])
    jest.advanceTimersByTime(WINDOW)
    expect(counts).toEqual([1, 2])
    log.note(at(3))
    log.stop()
    expect(counts).toEqual([1, 2, 1])
    expect(jest.getTimerCount()).toBe(0)
  })

  it('has no timer once nothing has happened for a window', () => {
    const { log } = open()
    log.note(at(0))
    jest.advanceTimersByTime(WINDOW)
    expect(jest.getTimerCount()).toBe(0)
  })

  it('loses nothing that comes after the stop', () => {
    const { log, counts } = open()
    log.stop()
    for (const position of [0, 1]) log.note(at(position))
    expect(counts).toEqual([1, 1])
    expect(jest.getTimerCount()).toBe(0)
  })
})

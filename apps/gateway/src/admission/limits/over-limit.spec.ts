import { OverLimit } from './over-limit.js'

describe('an address over its limit', () => {
  let now: number
  let over: OverLimit
  beforeEach(() => {
    now = 0
    over = new OverLimit(() => now)
  })

  it('stays over its limit until its time has passed', () => {
    expect(over.secondsLeft('a')).toBe(0)
    over.note('a', 2)
    expect([over.secondsLeft('a'), over.secondsLeft('b')]).toEqual([2, 0])
    now = 1_500
    expect(over.secondsLeft('a')).toBe(1)
    now = 2_000
    expect(over.secondsLeft('a')).toBe(0)
  })

  it.each([
    ['lookups', 5],
    ['connections', 3],
  ] as const)('may cause this many %s at once and per second, even when it is noted again: %d', (kind, allowed) => {
    over.note('a', 60)
    const passed = () => Array.from({ length: 50 }, () => over.may(kind, 'a')).filter(Boolean).length
    expect(passed()).toBe(allowed)
    over.note('a', 60)
    expect(passed()).toBe(0)
    now = 1_000
    expect(passed()).toBe(allowed)
    now = 100_000
    expect(passed()).toBe(50)
  })

  it('is forgotten after 10,000 other addresses', () => {
    for (let index = 0; index <= 10_000; index++) over.note(String(index), 60)
    expect([over.secondsLeft('0'), over.secondsLeft('1')]).toEqual([0, 60])
  })
})

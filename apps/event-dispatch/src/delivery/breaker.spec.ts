import { Breaker } from './breaker.js'

const ok = { kind: 'delivered', timedOut: false } as const
const refused = { kind: 'retry', timedOut: false } as const
const hung = { kind: 'retry', timedOut: true } as const
const times = (count: number, work: (index: number) => void) => Array.from({ length: count }, (_, index) => work(index))

describe('the breaker', () => {
  it('opens after 8 failures in a row, not after 7', () => {
    const breaker = new Breaker()
    times(7, () => breaker.record(refused, 0))
    expect(breaker.allowance(0)).toBe(Infinity)
    breaker.record(refused, 0)
    expect(breaker.allowance(0)).toBe(0)
  })

  it('counts a timeout twice', () => {
    const breaker = new Breaker()
    times(3, () => breaker.record(hung, 0))
    expect(breaker.allowance(0)).toBe(Infinity)
    breaker.record(hung, 0)
    expect(breaker.allowance(0)).toBe(0)
  })

  it('resets the count of failures after a success', () => {
    const breaker = new Breaker()
    times(7, () => breaker.record(refused, 0))
    breaker.record(ok, 0)
    expect(breaker.remembered.failuresInRow).toBe(0)
  })

  it('opens when 70 % of ten attempts within a minute failed', () => {
    const breaker = new Breaker()
    for (const outcome of [refused, refused, refused, ok, refused, refused, ok, refused, ok])
      breaker.record(outcome, 1_000)
    expect(breaker.allowance(1_000)).toBe(Infinity)
    breaker.record(refused, 2_000)
    expect(breaker.allowance(2_000)).toBe(0)
  })

  it('does not open below 70 %, nor for failures from more than a minute ago', () => {
    const breaker = new Breaker()
    for (const outcome of [refused, refused, refused, ok, refused, refused, ok, refused, ok]) breaker.record(outcome, 0)
    breaker.record(refused, 61_000)
    expect(breaker.allowance(61_000)).toBe(Infinity)
    const mixed = new Breaker()
    times(40, (index) => mixed.record(index % 3 === 0 ? ok : refused, 0))
    expect(mixed.allowance(0)).toBe(Infinity)
  })

  it('lets one attempt through after 30 s and closes when it succeeds', () => {
    const breaker = new Breaker()
    times(8, () => breaker.record(refused, 0))
    expect(breaker.allowance(29_999)).toBe(0)
    expect(breaker.allowance(30_000)).toBe(1)
    breaker.record(ok, 30_100)
    expect(breaker.allowance(30_100)).toBe(Infinity)
  })

  it('stays open twice as long each time, up to 15 minutes, and starts at 30 s again after it has closed', () => {
    const breaker = new Breaker()
    let now = 0
    times(8, () => breaker.record(refused, now))
    const pauses = [breaker.remembered.openUntil! - now]
    times(6, () => {
      now = breaker.remembered.openUntil!
      breaker.record(refused, now)
      pauses.push(breaker.remembered.openUntil! - now)
    })
    expect(pauses).toEqual([30, 60, 120, 240, 480, 900, 900].map((seconds) => seconds * 1_000))
    now = breaker.remembered.openUntil!
    breaker.record(ok, now)
    times(8, () => breaker.record(refused, now))
    expect(breaker.remembered.openUntil! - now).toBe(30_000)
  })

  it('ignores attempts that were in flight when it opened', () => {
    const breaker = new Breaker()
    times(8, () => breaker.record(refused, 0))
    breaker.record(ok, 10)
    times(5, () => breaker.record(hung, 20))
    expect(breaker.remembered.openUntil).toBe(30_000)
  })

  it('continues from the state that another process stored', () => {
    const breaker = new Breaker({ failuresInRow: 8, opened: 2, openUntil: 5_000 })
    expect([breaker.allowance(4_999), breaker.allowance(5_000)]).toEqual([0, 1])
    breaker.record(refused, 5_000)
    expect(breaker.remembered.openUntil).toBe(5_000 + 120_000)
  })
})

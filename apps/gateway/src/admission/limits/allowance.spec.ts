import { Allowance } from './allowance.js'

describe('an allowance', () => {
  const taken = (allowance: Allowance, now: number) =>
    Array.from({ length: 100 }, () => allowance.take(now)).filter(Boolean).length

  it('starts with its burst, grows at its rate, and never exceeds the burst', () => {
    const allowance = new Allowance(10, 50, 0)
    expect([taken(allowance, 0), taken(allowance, 0)]).toEqual([50, 0])
    expect([taken(allowance, 99), taken(allowance, 100)]).toEqual([0, 1])
    expect(taken(allowance, 2_100)).toBe(20)
    expect(taken(allowance, 60_000)).toBe(50)
  })
})

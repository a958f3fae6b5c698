import { shuffled } from './shuffle.ts'

const items = Array.from({ length: 200 }, (_, index) => index)

describe('an order of suites', () => {
  it('is the same for the same seed, and differs for another', () => {
    expect(shuffled(items, 42)).toEqual(shuffled(items, 42))
    expect(shuffled(items, 42)).not.toEqual(shuffled(items, 43))
  })

  it('holds every suite once', () => {
    for (const seed of [0, 1, 2 ** 31 - 1]) expect(shuffled(items, seed).toSorted((a, b) => a - b)).toEqual(items)
  })

  it('can start with any suite', () => {
    const few = ['a', 'b', 'c', 'd']
    const firsts = new Set(items.map((seed) => shuffled(few, seed)[0]))
    expect(firsts.size).toBe(few.length)
  })
})

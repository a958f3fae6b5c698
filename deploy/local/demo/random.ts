// Random choices determined by a seed, so that the demo is the same on every machine.
/** A source of numbers from 0 to below 1. */
export type Random = () => number

/** Choices of one source. */
export interface Draw {
  /** Returns true with this probability. */
  chance: (probability: number) => boolean
  /** An integer, both bounds included. */
  integer: (from: number, to: number) => number
  /** An element of a list, which must not be empty. */
  one: <T>(list: readonly T[]) => T
}

/** mulberry32: a number from 0 to below 1 at each call. */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Draws from a source of random numbers. */
export const draw = (random: Random): Draw => ({
  chance: (probability) => random() < probability,
  integer: (from, to) => from + Math.floor(random() * (to - from + 1)),
  one: <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T,
})

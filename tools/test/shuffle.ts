import { randomFrom } from '../../deploy/local/demo/random.ts'

/** A copy in an order that the seed decides (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = randomFrom(seed)
  const copy = [...items]
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const taken = copy[last]!
    copy[last] = copy[other]!
    copy[other] = taken
  }
  return copy
}

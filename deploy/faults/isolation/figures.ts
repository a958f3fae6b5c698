// Observations of a healthy partner and the operators in one round.

/** Times of one kind of call, ms. */
export interface Latencies {
  count: number
  p50: number
  p99: number
}

export interface Figures {
  feed: Latencies
  events: Latencies
  ari: Latencies
  /** From a booking to its callback. */
  callbacks: Latencies & { longest: number }
}

export interface Round {
  /** Name of the attacker. */
  name: string
  undisturbed: Figures
  attacked: Figures
  /** Calls of the healthy partner that were not answered well, in words. */
  refused: string[]
  /** Most memory of each process and its limit in the manifests, bytes. */
  memory: { process: string; bytes: number; limit: number }[]
  /** Probes of liveness that failed, in words. */
  dead: string[]
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity

/** @param times ms, in any order */
export function latenciesOf(times: readonly number[]): Latencies & { longest: number } {
  const sorted = times.toSorted((a, b) => a - b)
  return { count: sorted.length, p50: at(sorted, 0.5), p99: at(sorted, 0.99), longest: sorted.at(-1) ?? Infinity }
}

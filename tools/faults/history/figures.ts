// Observations of a healthy partner and the operators in one round.
import { percentiles } from '@connectivity/toolkit/statistics'

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
  /** Figures of two consecutive periods: their difference shows how steady the machine is. */
  undisturbed: [Figures, Figures]
  attacked: Figures
  /** Calls of the healthy partner that failed, in words. */
  refused: string[]
  /** Most memory of each process and its limit in the manifests, bytes. */
  memory: { process: string; bytes: number; limit: number }[]
  /** Probes of liveness that failed, in words. */
  dead: string[]
  /** 90th percentile of the share of processors in use, 0 to 1. */
  busy: number
  /** Processors that they use on average during the attack. */
  used: { attackers: number; services: number }
}

/** @param times ms, in any order */
export function latenciesOf(times: readonly number[]): Latencies & { longest: number } {
  const { p50, p99, most } = percentiles(times, Infinity)
  return { count: times.length, p50, p99, longest: most }
}

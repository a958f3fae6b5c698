// Growth of the processes' memory while inputs keep coming.
import { growthOf } from '../../soak/growth.ts'
import type { Amounts } from './processes.ts'

/**
 * Growth that a service may show after the warm-up, MiB. V8 keeps up to some tens of MiB of garbage between two
 * collections of the whole heap; 80,000 requests that leave 1 KiB each behind go beyond it.
 */
export const MEMORY_BOUND = 64

export interface Growth {
  process: string
  /** MiB after the warm-up and at the end: the lowest of several samples. */
  from: number
  to: number
  /** True for a service that has grown beyond the bound. */
  grows: boolean
}

/**
 * @param samples in order of time, the same time apart; the first third is the warm-up
 * @param services names of the project's own processes; the memory of PostgreSQL, Redis and Kafka is bounded by their
 *   own configuration
 */
export function growths(samples: readonly Amounts[], services: readonly string[]): Growth[] {
  return Object.keys(samples[0] ?? {}).map((process) => {
    const series = samples.map((sample, at) => ({ at, value: sample[process]! }))
    const { from, to, grows } = growthOf(series, { share: 0, least: MEMORY_BOUND, byFloor: true })
    return { process, from, to, grows: grows && services.includes(process) }
  })
}

// Duration and CPU time of work.
import { cpuBetween, cpuOf, type CpuTimes, type Pids } from '@connectivity/toolkit/cpu'
import { lowerQuartile } from '@connectivity/toolkit/statistics'

/** Duration and CPU time of each process, ms. */
export interface Measured {
  milliseconds: number
  cpu: CpuTimes
}

export async function measured(pids: Pids, work: () => Promise<void>): Promise<Measured> {
  const before = cpuOf(pids)
  const begin = performance.now()
  await work()
  const milliseconds = performance.now() - begin
  return { milliseconds, cpu: cpuBetween(before, cpuOf(pids), 1000) }
}

/** CPU time of each process per call, given the calls of a round. */
export function perCall<T extends Measured>(rounds: readonly T[], callsOf: (round: T) => number): CpuTimes {
  const share = (name: string) => (round: T) => (round.cpu[name] ?? NaN) / callsOf(round)
  const names = Object.keys(rounds[0]?.cpu ?? {})
  return Object.fromEntries(names.map((name) => [name, lowerQuartile(rounds.map(share(name)), (value) => value)]))
}

/** Generates prices that no cell has had before, so that every call changes all of its cells. */
const prices = (function* (): Generator<string, never> {
  for (let cents = 100; ; cents++) yield (cents / 100).toFixed(2)
})()
export const nextPrice = (): string => prices.next().value

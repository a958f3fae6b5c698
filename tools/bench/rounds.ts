// Rounds of GETs: candidates are measured in turn, so that other load on the machine meets all of them.
import { cpuBetween, cpuOf, type CpuTimes, type Pids } from '@connectivity/toolkit/cpu'
import { lowerQuartile } from '@connectivity/toolkit/statistics'
import { load, type Poll, type Seen } from './load.ts'
import { sumOf } from './report/report.ts'

const ROUNDS = 4
/** Duration of a round, s. */
export const SECONDS = 5
const WARM_UP = 4

/** One of the candidates that are compared. */
export interface Candidate {
  origin: string
  pids: Pids
  /** Gives the next request. */
  poll: () => Poll
}

/** One round: the client's figures, CPU microseconds per request of each process, and of all of them. */
export interface Round extends Seen {
  cpu: CpuTimes
  sum: number
}

async function measure({ pids, origin, poll }: Candidate): Promise<Round> {
  const before = cpuOf(pids)
  const seen = await load(origin, poll, SECONDS)
  const cpu = cpuBetween(before, cpuOf(pids), seen.count)
  return { ...seen, cpu, sum: sumOf(cpu) }
}

/** @returns the lower quartile of each candidate's rounds by CPU time */
export async function inRounds(candidates: readonly Candidate[]): Promise<Round[]> {
  for (const { origin, poll } of candidates) await load(origin, poll, WARM_UP)
  const measured = candidates.map((candidate) => ({ candidate, rounds: [] as Round[] }))
  for (let round = 0; round < ROUNDS; round++)
    for (const { candidate, rounds } of measured) rounds.push(await measure(candidate))
  return measured.map(({ rounds }) => lowerQuartile(rounds, ({ sum }) => sum))
}

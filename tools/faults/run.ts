// One run: load, one fault after the other with its recovery time, and the judgement of the whole.
import { setTimeout as sleep } from 'node:timers/promises'
import { poll } from '@connectivity/toolkit/until'
import { say, seconds } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { check, type Found } from './check/check.ts'
import type { Fault, Run } from './faults/fault.ts'
import { newHistory } from './history/history.ts'
import type { History } from './history/history-types.ts'
import { lookAtOutcome } from './outcome.ts'
import { type Probed, Workload } from './users/workload.ts'
import { type FaultStack, withFaultStack } from './stack/fault-stack.ts'
import { WakeUpCount } from './history/wake-up-count.ts'
import type { System } from './stack/system.ts'

/** Longest time for work in progress at the end of the load, ms: a failed callback is repeated 5 s later. */
const SETTLED_WITHIN = 60_000
const LOOK_AGAIN = 1_000
/** Time between two faults, ms: longer than requests wait, and long enough to know that no notification came. */
const CALM = 6_500

/** Duration of a fault and time until everything worked again, ms. */
export interface Recovery extends Probed {
  name: string
  lasted: number
}

/** Result of a run. */
export interface Result {
  found: Found
  recoveries: Recovery[]
  history: History
}

/** @returns null when the system did not recover */
async function inject<S extends System>(fault: Fault<S>, run: Run<S>, wakeUps: WakeUpCount): Promise<Recovery | null> {
  const { history, stack, workload } = run
  await workload.revokeOne()
  await sleep(CALM)
  await wakeUps.next(fault)
  const time = { name: fault.name, from: Date.now(), at: Infinity }
  const disturbed = { ...time }
  history.disturbed.push(disturbed)
  if (fault.mustServe) history.noFailure.push(time)
  try {
    const begun = performance.now()
    await fault.inject(run)
    const lasted = performance.now() - begun
    const recovery = await workload.probe()
    time.at = Date.now()
    await stack.untilAllReady()
    disturbed.at = Date.now()
    say(words(fault, lasted, recovery))
    return { name: fault.name, lasted, ...recovery }
  } catch (reason) {
    const { message } = reason as Error
    say(`${fault.name}: ${message}`)
    history.unrecovered.push({ name: fault.name, error: message })
    return null
  }
}

const words = ({ name }: { name: string }, lasted: number, { polled, calledBack, all }: Probed): string =>
  `${name}: ${seconds(lasted)}, recovered in ${seconds(all)} (polled ${seconds(polled)}, called back ${seconds(calledBack)})`

/** Ends the load, then checks until nothing is missing or the time is up. */
export async function settle({ brokers }: { brokers: string[] }, workload: Workload): Promise<Found> {
  const begun = performance.now()
  await workload.stop()
  const isComplete = async () => {
    await lookAtOutcome(brokers, workload)
    const { lost, stale } = check(workload.history)
    return lost.length + stale.length === 0
  }
  await poll(isComplete, { within: SETTLED_WITHIN, every: LOOK_AGAIN })
  say(`settled and judged in ${seconds(performance.now() - begun)}`)
  return check(workload.history)
}

/** Options of a run. */
interface Options<S extends System> {
  seed: number
  faults: readonly Fault<S>[]
  isShort: boolean
}

/** Injects faults into a running system. */
export async function runFaultsOn<S extends System>(stack: S, { seed, faults, isShort }: Options<S>): Promise<Result> {
  const history = newHistory(seed)
  const workload = await Workload.begin(stack, history)
  const wakeUps = new WakeUpCount(stack, history)
  await wakeUps.next({ name: 'the beginning' })
  const recoveries: (Recovery | null)[] = []
  try {
    const run = { stack, workload, history, isShort }
    for (const fault of faults) recoveries.push(await inject(fault, run, wakeUps))
    await sleep(CALM)
    await wakeUps.next(null)
    const found = await settle(stack, workload)
    return { found, recoveries: recoveries.filter((one) => one !== null), history }
  } finally {
    await workload.close()
  }
}

/** Injects faults into a system of its own. */
export const runFaults = (options: Options<FaultStack>): Promise<Result> =>
  withFaultStack((stack) => runFaultsOn(stack, options))

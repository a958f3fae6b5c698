// One run: load, one fault after the other with its recovery time, and the judgement of the whole.
import { setTimeout as sleep } from 'node:timers/promises'
import { say, seconds } from '../local/machine/progress.mjs'
import { check } from './check/check.mjs'
import { newHistory } from './history/history.mjs'
import { lookAtOutcome } from './history/outcome.mjs'
import { Workload } from './history/workload.mjs'
import { withFaultStack } from './stack/fault-stack.mjs'

/** Longest time for work in progress at the end of the load, ms: a failed callback is repeated 5 s later. */
const SETTLED_WITHIN = 60_000
const LOOK_AGAIN = 1_000
const CALM = 1_500

/** @returns duration of the fault and time until everything worked again, ms; null when something never did */
async function inject(fault, run) {
  const { history, stack, workload } = run
  await workload.revokeOne()
  await sleep(CALM)
  const time = { name: fault.name, from: Date.now(), at: Infinity }
  if (fault.mustServe) history.noFailure.push(time)
  try {
    const begun = performance.now()
    await fault.inject(run)
    const lasted = performance.now() - begun
    const recovery = await workload.probe()
    time.at = Date.now()
    await stack.untilAllReady()
    say(words(fault, lasted, recovery))
    return { name: fault.name, lasted, ...recovery }
  } catch (error) {
    say(`${fault.name}: ${error.message}`)
    history.unrecovered.push({ name: fault.name, error: error.message })
    return null
  }
}

const words = ({ name }, lasted, { polled, calledBack, all }) =>
  `${name}: ${seconds(lasted)}, recovered in ${seconds(all)} (polled ${seconds(polled)}, called back ${seconds(calledBack)})`

/** Ends the load, then checks until nothing is missing or the time is up. */
export async function settle(stack, workload) {
  const begun = performance.now()
  await workload.stop()
  for (const deadline = Date.now() + SETTLED_WITHIN; ; await sleep(LOOK_AGAIN)) {
    await lookAtOutcome(stack.brokers, workload)
    const found = check(workload.history)
    if (!mayStillCome(found) || Date.now() > deadline) {
      say(`settled and judged in ${seconds(performance.now() - begun)}`)
      return found
    }
  }
}

const mayStillCome = ({ lost, stale }) => lost.length + stale.length > 0

/**
 * @param {{ seed: number, faults: import('./faults/faults.mjs').Fault[], isShort: boolean }} options
 * @returns {Promise<{ found: Record<string, string[]>, recoveries: object[], history: object }>}
 */
export function runFaults({ seed, faults, isShort }) {
  return withFaultStack(async (stack) => {
    const history = newHistory(seed)
    const workload = await Workload.begin(stack, history)
    const recoveries = []
    try {
      const run = { stack, workload, history, isShort }
      for (const fault of faults) recoveries.push(await inject(fault, run))
      const found = await settle(stack, workload)
      return { found, recoveries: recoveries.filter((one) => one !== null), history }
    } finally {
      await workload.close()
    }
  })
}

#!/usr/bin/env node
// npm run soak -- [--minutes 30] [--seed n] [--samples file]: runs the load of `npm run faults` without any fault.
// Samples memory, handles, lag and tables every few seconds, and writes the samples to the file as JSON. Prints the
// pace of each; exits with 1 when one of them grows or the history is not clean.
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { numberOf, optionsOf, seedOf } from '../../deploy/local/machine/options.ts'
import { isClean } from '../faults/check/check.ts'
import { WakeUpCount } from '../faults/history/wake-up-count.ts'
import { newHistory } from '../faults/history/history.ts'
import { Workload } from '../faults/users/workload.ts'
import { verdict } from '../faults/report.ts'
import { settle } from '../faults/run.ts'
import { type Observed, withFaultStack } from '../faults/stack/fault-stack.ts'
import { growthOf, type Sample } from './growth.ts'
import { takeSample, toleranceOf } from './samples.ts'

const text = { type: 'string' } as const
const options = { minutes: { ...text, default: '30' }, seed: text, samples: text } as const
const HELP = `npm run soak                     half an hour of load without faults, watched for growth
npm run soak -- --minutes 5      for that long
npm run soak -- --seed 7         with these bookings
npm run soak -- --samples <file> writes the samples as JSON
`
const LONGEST = 10_000
const EVERY = 5_000
const LEAST_SAMPLES = 12
/** Limit of bookings: if their number grew, each mapping change would redeliver more than the last: no steady load. */
const BOOKINGS = 300

/** Samples in the order of time, by the name of the series. */
type Series = Map<string, Sample[]>

/** Adds a sample to the series of each name. */
async function sampleInto(series: Series, where: Observed): Promise<void> {
  const at = Date.now()
  for (const [name, value] of await takeSample(where)) {
    const samples = series.get(name) ?? []
    samples.push({ at, value })
    series.set(name, samples)
  }
}

/** Prints the pace of each series; returns the number of those that grow. */
function printSeries(series: Series): number {
  const rows = [...series].map(([name, samples]) => ({ name, ...growthOf(samples, toleranceOf(name)) }))
  for (const { name, from, to, perHour, grows } of rows)
    process.stdout.write(
      `${grows ? 'GROWS' : '     '} ${name}: ${from.toFixed(1)} → ${to.toFixed(1)}, ${perHour.toFixed(1)} an hour\n`,
    )
  return rows.filter(({ grows }) => grows).length
}

async function soak(minutes: number, seed: number, file?: string): Promise<number> {
  return withFaultStack(async (stack) => {
    const history = newHistory(seed)
    const workload = await Workload.begin(stack, history, { most: BOOKINGS })
    const wakeUps = new WakeUpCount(stack, history)
    await wakeUps.next({ name: 'the soak' })
    const series: Series = new Map()
    try {
      const end = Date.now() + minutes * 60_000
      for (let taken = 0; Date.now() < end || taken < LEAST_SAMPLES; taken++) {
        await sampleInto(series, stack.observed)
        await sleep(EVERY)
      }
      if (file) writeFileSync(file, JSON.stringify(Object.fromEntries(series)))
      const growing = printSeries(series)
      await wakeUps.next(null)
      const found = await settle(stack, workload)
      process.stdout.write(`${minutes} minutes: ${growing} of ${series.size} grow; ${verdict(found, history)}\n`)
      return growing === 0 && isClean(found) ? 0 : 1
    } finally {
      await workload.close()
    }
  })
}

await run(async () => {
  const given = optionsOf(options, HELP)
  if (!given) return
  return soak(numberOf('minutes', given.minutes, LONGEST), seedOf(given.seed), given.samples)
})

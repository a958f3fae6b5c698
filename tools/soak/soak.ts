#!/usr/bin/env node
// npm run soak -- [--minutes 30] [--seed n] [--samples file]: runs the load of `npm run faults` without any fault.
// Samples memory, handles, lag and tables every few seconds, and writes the samples to the file as JSON. Prints the
// pace of each; exits with 1 when one of them grows or the history is not clean.
import { writeFileSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ready } from '../../deploy/local/bootstrap/machine/ready.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { runAgain } from '../../deploy/local/bootstrap/processes/own-node.mjs'
import { optionsOf } from '../../deploy/local/machine/options.ts'
import type { Observed } from '../faults/stack/fault-stack.ts'
import type { Growth, Sample, Tolerance } from './growth.ts'
import type { NamedValue } from './samples.ts'

const text = { type: 'string' } as const
const options = {
  minutes: { ...text, default: '30' },
  seed: text,
  samples: text,
  help: { type: 'boolean', default: false },
} as const
const HELP = `npm run soak                     half an hour of load without faults, watched for growth
npm run soak -- --minutes 5      for that long
npm run soak -- --seed 7         with these bookings
npm run soak -- --samples <file> writes the samples as JSON
`
const EVERY = 5_000
const LEAST_SAMPLES = 12
/** Limit of bookings: if their number grew, each mapping change would redeliver more than the last: no steady load. */
const BOOKINGS = 300

/** Samples in the order of time, by the name of the series. */
type Series = Map<string, Sample[]>

/** Adds a sample to the series of each name. */
async function sampleInto(
  series: Series,
  where: Observed,
  takeSample: (where: Observed) => Promise<NamedValue[]>,
): Promise<void> {
  const at = Date.now()
  for (const [name, value] of await takeSample(where)) {
    const samples = series.get(name) ?? []
    samples.push({ at, value })
    series.set(name, samples)
  }
}

/** Functions that judge a series; loaded after the installation. */
interface Judge {
  growthOf: (samples: readonly Sample[], tolerance: Tolerance) => Growth
  toleranceOf: (name: string) => Tolerance
}

/** Prints the pace of each series; returns the number of those that grow. */
function tell(series: Series, { growthOf, toleranceOf }: Judge): number {
  const rows = [...series].map(([name, samples]) => ({ name, ...growthOf(samples, toleranceOf(name)) }))
  for (const { name, from, to, perHour, grows } of rows)
    process.stdout.write(
      `${grows ? 'GROWS' : '     '} ${name}: ${from.toFixed(1)} → ${to.toFixed(1)}, ${perHour.toFixed(1)} an hour\n`,
    )
  return rows.filter(({ grows }) => grows).length
}

async function soak(minutes: number, seed: number, file?: string): Promise<number> {
  const { isClean } = await import('../faults/check/check.ts')
  const { newHistory } = await import('../faults/history/history.ts')
  const { Workload } = await import('../faults/history/workload.ts')
  const { verdict } = await import('../faults/report.ts')
  const { settle } = await import('../faults/run.ts')
  const { withFaultStack } = await import('../faults/stack/fault-stack.ts')
  const { takeSample, toleranceOf } = await import('./samples.ts')
  const { growthOf } = await import('./growth.ts')
  return withFaultStack(async (stack) => {
    const history = newHistory(seed)
    const workload = await Workload.begin(stack, history, { most: BOOKINGS })
    const series: Series = new Map()
    try {
      const end = Date.now() + minutes * 60_000
      for (let taken = 0; Date.now() < end || taken < LEAST_SAMPLES; taken++) {
        await sampleInto(series, stack.observed, takeSample)
        await sleep(EVERY)
      }
      if (file) writeFileSync(file, JSON.stringify(Object.fromEntries(series)))
      const growing = tell(series, { growthOf, toleranceOf })
      const found = await settle(stack, workload)
      process.stdout.write(`${minutes} minutes: ${growing} of ${series.size} grow; ${verdict(found, seed)}\n`)
      return growing === 0 && isClean(found) ? 0 : 1
    } finally {
      await workload.close()
    }
  })
}

await run(async () => {
  const { minutes, seed, samples, help } = optionsOf(options, HELP)
  if (help) return void process.stdout.write(HELP)
  if (!(await ready({ parts: true }))) return runAgain()
  return soak(Number(minutes), seed === undefined ? randomInt(2 ** 31) : Number(seed), samples)
})

#!/usr/bin/env node
// npm run soak -- [--minutes 30] [--seed n] [--samples file]: the load of `npm run faults` without any fault, and a look at
// memory, handles, lag and tables every few seconds, all of which go to the file as JSON. Ends with the pace of each, and
// with 1 when one of them grows or the history is not clean.
import { writeFileSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { ready } from '../local/machine/ready.mjs'
import { run } from '../local/machine/run.mjs'
import { runAgain } from '../local/processes/own-node.mjs'

const text = { type: 'string' }
const options = { minutes: { ...text, default: '30' }, seed: text, samples: text }
const EVERY = 5_000
const LEAST_SAMPLES = 12
/** Limit of bookings: if their number grew, each mapping change would redeliver more than the last: no steady load. */
const BOOKINGS = 300

/** Adds a sample to the series of each name. */
async function sampleInto(series, where, takeSample) {
  const at = Date.now()
  for (const [name, value] of await takeSample(where)) {
    if (!series.has(name)) series.set(name, [])
    series.get(name).push({ at, value })
  }
}

function tell(series, { growthOf, toleranceOf }) {
  const rows = [...series].map(([name, samples]) => ({ name, ...growthOf(samples, toleranceOf(name)) }))
  for (const { name, from, to, perHour, grows } of rows)
    process.stdout.write(
      `${grows ? 'GROWS' : '     '} ${name}: ${from.toFixed(1)} → ${to.toFixed(1)}, ${perHour.toFixed(1)} an hour\n`,
    )
  return rows.filter(({ grows }) => grows).length
}

async function soak(minutes, seed, file) {
  const { isClean } = await import('../faults/check/check.mjs')
  const { newHistory } = await import('../faults/history/history.mjs')
  const { Workload } = await import('../faults/history/workload.mjs')
  const { verdict } = await import('../faults/report.mjs')
  const { settle } = await import('../faults/run.mjs')
  const { withFaultStack } = await import('../faults/stack/fault-stack.mjs')
  const { takeSample, toleranceOf } = await import('./samples.mjs')
  const { growthOf } = await import('./growth.mjs')
  return withFaultStack(async (stack) => {
    const history = newHistory(seed)
    const workload = await Workload.begin(stack, history, { most: BOOKINGS })
    const series = new Map()
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
  const { minutes, seed, samples } = parseArgs({ args: process.argv.slice(2), options }).values
  if (!(await ready({ parts: true }))) return runAgain()
  return soak(Number(minutes), seed === undefined ? randomInt(2 ** 31) : Number(seed), samples)
})

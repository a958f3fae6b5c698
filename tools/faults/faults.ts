#!/usr/bin/env node
// npm run faults [-- --short] [--fault name] [--seed n] [--list]: docs/operations/faults.md
import { writeFileSync } from 'node:fs'
import { optionsOf, seedOf } from '../../deploy/local/machine/options.ts'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { isClean } from './check/check.ts'
import type { Fault } from './faults/fault.ts'
import { faults } from './faults/kinds.ts'
import { report } from './report.ts'
import { runFaults } from './run.ts'

const options = {
  short: { type: 'boolean', default: false },
  fault: { type: 'string', multiple: true },
  seed: { type: 'string' },
  list: { type: 'boolean', default: false },
  history: { type: 'string' },
} as const

/** Values of the options that choose faults. */
interface Choice {
  fault?: string[]
  short: boolean
}

const HELP = `npm run faults                      every fault in turn, about 20 minutes
npm run faults -- --short           a handful of them, about 2 minutes
npm run faults -- --fault <name>    one fault, or a group by the prefix of its names; may be repeated
npm run faults -- --seed <number>   the same bookings, changes and writes once more
npm run faults -- --history <file>  writes the recorded history as JSON
npm run faults -- --list            lists the faults
`

/** The name of a group is the prefix of its faults' names. */
const isNamed = ({ name }: Fault, wanted: string): boolean => name === wanted || name.startsWith(`${wanted}-`)

function chosen({ fault: names, short }: Choice): Fault[] {
  const unknown = names?.find((name) => !faults.some((fault) => isNamed(fault, name)))
  if (unknown) throw new Refusal(`There is no fault ${unknown}; npm run faults -- --list shows them.`)
  if (names) return faults.filter((fault) => names.some((name) => isNamed(fault, name)))
  return short ? faults.filter(({ isShort }) => isShort) : faults
}

await run(async () => {
  const given = optionsOf(options, HELP)
  if (!given) return
  const wanted = chosen(given)
  if (given.list) {
    for (const { name, about, isShort } of wanted) process.stdout.write(`${isShort ? '*' : ' '} ${name}: ${about}\n`)
    return void process.stdout.write('* also in the short run\n')
  }
  const seed = seedOf(given.seed)
  process.stdout.write(`seed ${seed}\n`)
  const result = await runFaults({ seed, faults: wanted, isShort: given.short })
  if (given.history) writeFileSync(given.history, JSON.stringify(result.history))
  process.stdout.write(report(result))
  return isClean(result.found) ? 0 : 1
})
// A producer that lost its broker would keep the process alive by reconnecting.
process.exit()

// CPU time of a whole stack at rest, without a request or an event: npm run bench -- rest [--seconds n]
import { parseArgs } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuBetween, cpuOf, type Pids } from '@connectivity/toolkit/cpu'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { type Report, sumOf } from './report/report.ts'

/** Seconds before the measurement: the JVM still compiles, and PostgreSQL writes what the start has changed. */
const SETTLED = 60
/** CPU microseconds of one per cent of a core in a second. */
const PER_CENT = 1e4

export const bench = (args: string[], report: Report): Promise<void> =>
  withOwnStack(async ({ processes }) => {
    const { values } = parseArgs({ args, options: { seconds: { type: 'string', default: '120' } } })
    const seconds = Number(values.seconds)
    const pids: Pids = Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, pid]))
    await delay(SETTLED * 1000)
    const before = cpuOf(pids)
    await delay(seconds * 1000)
    const shares = cpuBetween(before, cpuOf(pids), seconds * PER_CENT)
    const rows = Object.entries(shares).map(([name, share]) => ({ name, also: { '% of a core': share } }))
    report.table({ title: 'CPU time of each process at rest', rows })
    report.figure({ name: 'whole stack at rest', value: sumOf(shares), unit: '% of a core', atMost: 3 })
  })

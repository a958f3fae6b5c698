#!/usr/bin/env node
// npm run bench                                     everything, written to docs/benchmarks (about half an hour)
// npm run bench -- <benchmark> [options]            one of them, printed
// npm run bench -- <benchmark> [options] --write    … and its part of docs/benchmarks rewritten,
//                                                   with the capacity page, which is computed from it
// Each benchmark measures on its own stack, interleaved with the floor it is compared with.
import { present } from '@connectivity/toolkit/present'
import { writeCapacity } from './capacity/write.ts'
import { Report } from './report/report.ts'
import { surroundings } from './report/machine.ts'
import { writeReport } from './report/write.ts'

/** Exports of a benchmark's module. */
interface Benchmark {
  bench: (options: string[], report: Report) => Promise<void>
}

const benchmarks: Record<string, () => Promise<Benchmark>> = {
  gateway: () => import('./gateway.ts'),
  feed: () => import('./feed.ts'),
  digest: () => import('./digest.ts'),
  ari: () => import('./ari.ts'),
  dispatch: () => import('./dispatch.ts'),
  wait: () => import('./wait.ts'),
  log: () => import('./log.ts'),
  scale: () => import('./scale.ts'),
  rest: () => import('./rest.ts'),
}

/** Parts of the written report, each named by the words that run it. */
const all = [
  'gateway',
  'feed projection',
  'feed freshness',
  'feed trace',
  'feed growth',
  'feed progress',
  'feed fill',
  'digest',
  'ari',
  'dispatch',
  'dispatch sick',
  'wait',
  'log',
  'scale',
  'rest',
]

/** Part that these words run, without options. */
const partOf = (words: readonly string[]): string | undefined =>
  all.filter((part) => `${words.join(' ')} `.startsWith(`${part} `)).toSorted((a, b) => b.length - a.length)[0]

async function run(words: readonly string[], isWritten: boolean): Promise<void> {
  const [name = '', ...options] = words
  const before = surroundings()
  const report = new Report()
  process.stdout.write(`\n## ${words.join(' ')}\n`)
  const { bench } = await present(benchmarks[name], `benchmark ${name}`)()
  await bench(options, report)
  const part = partOf(words)
  if (!isWritten || !part) return
  await writeReport(part, report, before, all)
  await writeCapacity()
}

const words = process.argv.slice(2).filter((word) => word !== '--write')
if (words[0] !== undefined && !(words[0] in benchmarks)) {
  const names = Object.keys(benchmarks).join(', ')
  process.stderr.write(
    `npm run bench -- <benchmark> [options] [--write], one of: ${names}; all of them without a name\n`,
  )
  process.exit(2)
}
const isWritten = process.argv.includes('--write')
if (isWritten && !partOf(words)) {
  process.stderr.write(`--write takes one of: ${all.join(', ')}\n`)
  process.exit(2)
}
if (words.length > 0) await run(words, isWritten)
else for (const part of all) await run(part.split(' '), true)

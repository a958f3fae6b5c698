#!/usr/bin/env node
// npm run bench                                     everything, written to docs/benchmarks (about half an hour)
// npm run bench -- <benchmark> [options]            one of them, printed
// npm run bench -- <benchmark> [options] --write    … and its part of docs/benchmarks rewritten
// Each benchmark measures on its own stack, interleaved with the floor it is compared with.
import { Report } from './report/report.mjs'
import { surroundings } from './report/machine.mjs'
import { writeReport } from './report/write.mjs'

const benchmarks = {
  gateway: () => import('./gateway.mjs'),
  feed: () => import('./feed.mjs'),
  ari: () => import('./ari.mjs'),
  dispatch: () => import('./dispatch.mjs'),
}

/** The parts that are written, each by the words that run it. */
const all = [
  'gateway',
  'feed projection',
  'feed freshness',
  'feed growth',
  'feed fill',
  'ari',
  'dispatch',
  'dispatch sick',
]

/** The part that these words run, without options. */
const partOf = (words) =>
  all.filter((part) => `${words.join(' ')} `.startsWith(`${part} `)).toSorted((a, b) => b.length - a.length)[0]

async function run(words, isWritten) {
  const [name, ...options] = words
  const before = surroundings()
  const report = new Report()
  process.stdout.write(`\n## ${words.join(' ')}\n`)
  const { bench } = await benchmarks[name]()
  await bench(options, report)
  if (isWritten) await writeReport(partOf(words), report, before, all)
}

const words = process.argv.slice(2).filter((word) => word !== '--write')
if (words.length > 0 && !(words[0] in benchmarks)) {
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

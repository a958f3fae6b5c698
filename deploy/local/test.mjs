#!/usr/bin/env node
// npm test [-- jest arguments]: lint, types and build of everything beside throw-away PostgreSQL, Redis and Kafka,
// then Jest against them, and when nothing is named the short run of faults. The last line counts: "N passed, N failed".
import { ready } from './machine/ready.mjs'
import { run } from './machine/run.mjs'
import { runAgain } from './processes/own-node.mjs'

await run(async () => {
  if (!(await ready({ parts: true }))) return runAgain()
  const { runTests } = await import('./tests/run-tests.mjs')
  return runTests(process.argv.slice(2))
})

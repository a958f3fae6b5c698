#!/usr/bin/env node
// npm test, npm run test:unit, npm run test:repeat: installs missing packages and parts, then calls tools/test.
// The last line counts: "N passed, N failed".
import { ready } from './bootstrap/install/ready.mjs'
import { run } from './bootstrap/machine/run.mjs'
import { runAgain } from './bootstrap/install/own-node.mjs'

await run(async () => {
  const args = process.argv.slice(2)
  const needsParts = !args.some((arg) => arg === '--unit' || arg === '--help')
  if (!(await ready({ parts: needsParts }))) return runAgain()
  const { runTests } = await import('../../tools/test/main.ts')
  return runTests(args)
})

#!/usr/bin/env node
// npm run fuzz: installs missing packages and parts, then calls tools/fuzz.
import { ready } from './bootstrap/machine/ready.mjs'
import { run } from './bootstrap/machine/run.mjs'
import { runAgain } from './bootstrap/processes/own-node.mjs'

await run(async () => {
  if (!(await ready({ parts: true }))) return runAgain()
  const { runFuzz } = await import('../../tools/fuzz/main.ts')
  return runFuzz(process.argv.slice(2))
})

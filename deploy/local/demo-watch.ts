#!/usr/bin/env node
// npm run demo:watch: follows the feed of a demo property, one line for each change, until Ctrl-C.
import { stateDir } from './bootstrap/config.mjs'
import { readDemoFile } from './demo/demo-file.ts'
import { optionsOf } from './machine/options.ts'
import { run } from './bootstrap/machine/run.mjs'

const HELP = `npm run demo:watch                             every change from now on, until Ctrl-C
npm run demo:watch -- --property prop_demo_2   of the other demo property (default prop_demo_1)
`

const options = { property: { type: 'string', default: 'prop_demo_1' } } as const

await run(async () => {
  const given = optionsOf(options, HELP)
  if (!given) return
  const demo = readDemoFile(stateDir)
  const { watch } = await import('./demo/watch.ts')
  await watch(demo, given.property, (line) => process.stdout.write(`${line}\n`))
})

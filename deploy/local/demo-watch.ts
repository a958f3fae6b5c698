#!/usr/bin/env node
// npm run demo:watch: follows the feed of a demo property, one line for each change, until Ctrl-C.
import { stateDir } from './bootstrap/config.mjs'
import type { DemoFile } from '../../tools/toolkit/hand-over.ts'
import { demoFile } from './demo/demo-file.ts'
import { readWhole } from './machine/files.ts'
import { optionsOf } from './machine/options.ts'
import { Refusal } from './bootstrap/machine/refusal.mjs'
import { run } from './bootstrap/machine/run.mjs'

const HELP = `npm run demo:watch                             every change from now on, until Ctrl-C
npm run demo:watch -- --property prop_demo_2   of the other demo property (default prop_demo_1)
`

const options = { property: { type: 'string', default: 'prop_demo_1' } } as const

await run(async () => {
  const given = optionsOf(options, HELP)
  if (!given) return
  const demo = readWhole<DemoFile>(demoFile(stateDir))
  if (!demo) throw new Refusal('No stack is running: run npm start, then try again in another terminal.')
  const { watch } = await import('./demo/watch.ts')
  await watch(demo, given.property, (line) => process.stdout.write(`${line}\n`))
})

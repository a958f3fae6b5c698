#!/usr/bin/env node
// npm run demo:book: one more booking, a change or a cancellation, published as the booking engine would.
import { existsSync } from 'node:fs'
import { stateDir } from './config.mjs'
import { demoFile } from './demo/demo-file.mjs'
import { readWhole } from './machine/files.mjs'
import { optionsOf } from './machine/options.mjs'
import { Refusal } from './machine/refusal.mjs'
import { run } from './machine/run.mjs'

const HELP = `npm run demo:book                             one more booking
npm run demo:book -- --modify                 a random booking stays one night longer
npm run demo:book -- --cancel                 a random booking is cancelled
npm run demo:book -- --property prop_demo_2   at the other demo property (default prop_demo_1)
`

const flag = { type: 'boolean', default: false }
const property = { type: 'string', default: 'prop_demo_1' }
const options = { modify: flag, cancel: flag, help: flag, property }

await run(async () => {
  const { help, modify, cancel, property } = optionsOf(options, HELP)
  if (help) return void process.stdout.write(HELP)
  if (modify && cancel) throw new Refusal('Either --modify or --cancel, not both.')
  if (!existsSync(demoFile(stateDir)))
    throw new Refusal('No stack is running: npm start first, then try again beside it.')
  const { book } = await import('./demo/book.mjs')
  const kind = modify ? 'modify' : cancel ? 'cancel' : 'new'
  process.stdout.write(await book(readWhole(demoFile(stateDir)), { stateDir, kind, property }))
})

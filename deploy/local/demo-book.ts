#!/usr/bin/env node
// npm run demo:book: one more booking, a change or a cancellation, published as the booking engine would.
import { stateDir } from './bootstrap/config.mjs'
import { readDemoFile } from './demo/demo-file.ts'
import { optionsOf } from './machine/options.ts'
import { Refusal } from './bootstrap/machine/refusal.mjs'
import { run } from './bootstrap/machine/run.mjs'

const HELP = `npm run demo:book                             one more booking
npm run demo:book -- --modify                 a random booking stays one night longer
npm run demo:book -- --cancel                 a random booking is cancelled
npm run demo:book -- --property prop_demo_2   at the other demo property (default prop_demo_1)
`

const flag = { type: 'boolean', default: false } as const
const options = { modify: flag, cancel: flag, property: { type: 'string', default: 'prop_demo_1' } } as const

await run(async () => {
  const given = optionsOf(options, HELP)
  if (!given) return
  const { modify, cancel, property } = given
  if (modify && cancel) throw new Refusal('Use either --modify or --cancel, not both.')
  const demo = readDemoFile(stateDir)
  const { book } = await import('./demo/book.ts')
  const kind = modify ? 'modify' : cancel ? 'cancel' : 'new'
  process.stdout.write(await book(demo, { stateDir, kind, property }))
})

#!/usr/bin/env node
// npm run demo:portal: a link with which you sign in to the partner portal of the running stack.
import { stateDir } from './bootstrap/config.mjs'
import { Refusal } from './bootstrap/machine/refusal.mjs'
import { run } from './bootstrap/machine/run.mjs'
import { readDemoFile } from './demo/demo-file.ts'
import { OperatorsApi } from '../../tools/toolkit/operators-api.ts'
import { optionsOf } from './machine/options.ts'

const HELP = `npm run demo:portal                    a link into the portal of the first demo application
npm run demo:portal -- --role viewer   for a person who may only look
`
const ROLES = ['developer', 'viewer']
const options = { role: { type: 'string', default: 'developer' } } as const

await run(async () => {
  const given = optionsOf(options, HELP)
  if (!given) return
  if (!ROLES.includes(given.role)) throw new Refusal(`--role ${given.role}: use ${ROLES.join(' or ')}.`)
  const demo = readDemoFile(stateDir)
  const api = new OperatorsApi(demo.ops.base_url, demo.ops.token, 'link for the demo portal')
  const { url } = await api.call<{ url: string }>(
    'POST',
    `/applications/${demo.applications[0]!.application_id}/portal-links`,
    { email: 'developer@example.com', role: given.role },
  )
  process.stdout.write(`${url}\n\nOpen it in a browser within 15 minutes; it works once.\n`)
})

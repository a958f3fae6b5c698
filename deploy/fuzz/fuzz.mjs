#!/usr/bin/env node
// npm run fuzz -- [--inputs 100000] [--seed n] [--only "post /ari"]: requests and messages of every kind against a stack of
// its own. No answer may be a 5xx or one that the description does not promise, no process may end, and what comes
// behind a bad message must take effect. The seed repeats a run.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withOwnStack } from '../bench/own-stack.mjs'
import { root } from '../local/config.mjs'
import { OperatorsApi } from '../local/demo/operators-api.mjs'
import { fuzzInterface } from './interface.mjs'
import { knownValues } from './known.mjs'
import { fuzzTopics, stuckServices } from './messages.mjs'
import { Partner } from './partner.mjs'
import { takeSamples } from './samples.mjs'

/** One input in so many is a message, the others are requests. */
const SHARE_OF_MESSAGES = 5

const { values } = parseArgs({
  options: { inputs: { type: 'string', default: '100000' }, seed: { type: 'string' }, only: { type: 'string' } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
const inputs = Number(values.inputs)
const print = (text) => process.stdout.write(`${text}\n`)

/** Process ids of the services: a service that has ended was started again under another one. */
const pidsOf = ({ processes }) => Object.entries(processes).map(([name, { pid }]) => `${name} ${pid}`)

const timesText = (times) =>
  [...times]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status} × ${count}`)
    .join(', ')

async function requests(demo, partner) {
  const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'))
  // Built by the start of the stack.
  const { Schemas } = await import('../../libs/testing/dist/schemas.js')
  const context = { partner, document, schemas: new Schemas(document), known: await knownValues(demo, partner) }
  const count = values.only ? inputs : inputs - inputs / SHARE_OF_MESSAGES
  const { sent, statuses, failures } = await fuzzInterface(context, { inputs: count, seed, only: values.only })
  for (const [name, times] of statuses) print(`${name}: ${timesText(times)}`)
  print(`${sent} requests`)
  for (const failure of failures)
    print(`\n${failure.name}\n${JSON.stringify(failure.request)}\n${failure.faults.join('\n')}`)
  return { sent, failures: failures.length }
}

async function messages(demo) {
  const samples = await takeSamples(demo)
  const sent = await fuzzTopics(demo.kafka.brokers, samples, { inputs: inputs / SHARE_OF_MESSAGES, seed })
  const stuck = await stuckServices(
    demo,
    samples.map(({ topic }) => topic),
  )
  for (const line of stuck) print(`stuck: ${line}`)
  print(`${sent} messages on ${samples.length} topics`)
  return { sent, failures: stuck.length }
}

const failures = await withOwnStack(async (demo, current) => {
  print(`seed ${seed}`)
  const [{ application_id, connections }] = demo.applications
  await new OperatorsApi(demo.ops.base_url, demo.ops.token).liftLimits(application_id)
  const before = pidsOf(demo)
  const partner = new Partner(demo.base_url, connections[0])
  const parts = [await requests(demo, partner)]
  await partner.close()
  if (!values.only) parts.push(await messages(demo))
  const ended = pidsOf(current()).filter((process) => !before.includes(process))
  for (const process of ended) print(`was started again: ${process}`)
  const sum = (name) => parts.reduce((total, part) => total + part[name], 0)
  print(`${sum('sent')} inputs, ${sum('failures')} failures, ${ended.length} processes ended`)
  return sum('failures') + ended.length
})
process.exitCode = failures === 0 ? 0 : 1

// npm run fuzz: requests and messages of every kind against a stack of its own. The seed repeats a run.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../deploy/local/bootstrap/config.mjs'
import { step } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'
import { Schemas } from '@connectivity/testing/schemas'
import type { HandOver } from '@connectivity/toolkit/hand-over'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { CpuMeter } from './cost/bound.ts'
import { growths } from './cost/memory.ts'
import { Processes } from './cost/processes.ts'
import { type Description, targetsOf } from './model/description.ts'
import { type Options, optionsOf } from './options.ts'
import { failuresOf, reportOf } from './report.ts'
import type { Outcome } from './requests/outcome.ts'
import { RequestRun } from './requests/run.ts'
import { pidsOf, servicesOf, servingPids } from './stack/demo.ts'
import { type Lane, openLane } from './stack/lane.ts'
import { Partner } from './stack/partner.ts'
import { Receiver } from './stack/receiver.ts'
import { Readers } from './topics/readers.ts'
import { TopicRun, type TopicsOutcome } from './topics/run.ts'
import { takeSamples } from './topics/samples.ts'

/** Inputs at once. Few enough that good ones together stay below the bound of one. */
const LANES = 8
/** One input in so many is a message, the others are requests. */
const SHARE_OF_MESSAGES = 5

interface Measuring {
  processes: Processes
  meter: CpuMeter
}

const print = (text: string) => process.stdout.write(`${text}\n`)

/** Does the work with lanes that are ready for requests. */
async function withLanes<T>(demo: HandOver, work: (lanes: Lane[]) => Promise<T>): Promise<T> {
  const partner = new Partner(demo.base_url, LANES)
  const receiver = await new Receiver().start()
  try {
    const names = Array.from({ length: LANES }, (_, n) => String(n + 1))
    const opened = names.map((name) => openLane(name, { demo, partner, receiver }))
    return await work(await step(`${LANES} applications are ready`, () => Promise.all(opened)))
  } finally {
    receiver.stop()
    await partner.close()
  }
}

/** @throws Refusal that lists the operations when none has that name */
function checkOnly(document: Description, only: string): void {
  const names = targetsOf(document).map(({ name }) => name)
  if (!names.includes(only)) throw new Refusal(`--only takes one of these operations:\n${names.join('\n')}`)
}

async function sendRequests(
  lanes: Lane[],
  measuring: Measuring & { document: Description },
  { inputs, ...options }: Options,
): Promise<Outcome> {
  const around = { schemas: new Schemas(measuring.document), lanes, ...measuring }
  const requests = options.only ? inputs : inputs - inputs / SHARE_OF_MESSAGES
  return new RequestRun(around, { inputs: requests, ...options }).run()
}

async function sendMessages(
  demo: HandOver,
  lane: Lane,
  meter: CpuMeter,
  { inputs, seed }: Options,
): Promise<TopicsOutcome> {
  const { brokers } = demo.kafka
  const samples = await takeSamples(brokers, lane.operators, lane.client.connectionId)
  const readers = await Readers.open(demo.postgres)
  try {
    return await new TopicRun(brokers, readers, meter).run(samples, { inputs: inputs / SHARE_OF_MESSAGES, seed })
  } finally {
    await readers.close()
  }
}

/** Processes that run under another id than before. */
const endedSince = (before: HandOver, now: HandOver): string[] =>
  Object.entries(pidsOf(now))
    .filter(([name, pid]) => pidsOf(before)[name] !== pid)
    .map(([name]) => name)

/** @returns the exit code */
async function fuzz(options: Options): Promise<number> {
  const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as Description
  if (options.only !== undefined) checkOnly(document, options.only)
  return withOwnStack(async (demo, current) => {
    print(`seed ${options.seed}`)
    const services = servicesOf(demo)
    const processes = new Processes(pidsOf(demo))
    const measuring = { document, processes, meter: new CpuMeter(new Processes(servingPids(demo)), services) }
    const findings = await withLanes(demo, async (lanes) => {
      const requests = await sendRequests(lanes, measuring, options)
      const topics = options.only ? null : await sendMessages(demo, lanes[0]!, measuring.meter, options)
      return { requests, topics }
    })
    const all = {
      inputs: options.inputs,
      ...findings,
      memory: growths(findings.requests.memory, services),
      ended: endedSince(demo, current()),
    }
    for (const line of reportOf(all)) print(line)
    return failuresOf(all) === 0 ? 0 : 1
  })
}

const options = optionsOf(process.argv.slice(2))
if (options !== null) process.exitCode = await fuzz(options)

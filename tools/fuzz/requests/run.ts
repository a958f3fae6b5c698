// Sends requests of every kind to every operation: each answer must be one that the description promises, and none may
// cost more CPU time than the bound.
import fc from 'fast-check'
import type { Schemas } from '@connectivity/testing/schemas'
import { moving, step } from '../../../deploy/local/bootstrap/machine/progress.mjs'
import { type Cost, CPU_BOUND, type CpuMeter, highest } from '../cost/bound.ts'
import type { Amounts, Processes } from '../cost/processes.ts'
import { type Description, type Target, targetsOf } from '../model/description.ts'
import { faultsOf, operationFor } from '../model/judgement.ts'
import type { Lane } from '../stack/lane.ts'
import { prepare } from '../stack/preparations.ts'
import { SchemaValues } from '../values/schema-values.ts'
import { inputsOf } from './distortions.ts'
import { GoodRequests } from './draft.ts'
import { longInputs } from './huge.ts'
import { Outcome } from './outcome.ts'
import type { Answer, Input } from '../model/request.ts'
import { type Drawn, InputSource } from './source.ts'

export interface RequestOptions {
  /** Number of requests, without the huge ones. */
  inputs: number
  seed: number
  /** Name of the only operation. */
  only?: string
}

export interface RequestSurroundings {
  document: Description
  schemas: Schemas
  lanes: Lane[]
  meter: CpuMeter
  processes: Processes
}

/** An input on its lane. */
type Sent = Pick<Drawn, 'lane' | 'target' | 'input'>

/** Answer of an input that got none. */
const noAnswer = (error: Error): Answer => ({ status: 0, headers: {}, text: error.message })

const textOf = ({ process, ms }: Cost): string => `${ms.toFixed(0)} ms of CPU time in ${process}, bound ${CPU_BOUND} ms`

/** Runs groups: an input on each lane at the same time, measured together. */
export class RequestRun {
  private readonly around: RequestSurroundings
  private readonly options: RequestOptions
  private readonly targets: Target[]
  private readonly outcome: Outcome

  constructor(around: RequestSurroundings, options: RequestOptions) {
    this.around = around
    this.options = options
    this.targets = targetsOf(around.document).filter(({ name }) => !options.only || name === options.only)
    this.outcome = new Outcome(this.targets.map(({ name }) => name))
  }

  async run(): Promise<Outcome> {
    const { lanes, processes } = this.around
    const sources = this.targets.map((target, at) =>
      lanes.map((lane, number) => this.source(lane, target, [at, number])),
    )
    const rounds = Math.ceil(this.options.inputs / (this.targets.length * lanes.length))
    for (let round = 0; round < rounds; round++) {
      await this.round(sources.map((group) => group.map((source) => source.next())))
      this.outcome.memory.push(processes.memory())
      moving(`round ${round + 1} of ${rounds}: ${this.outcome.sent} requests, ${this.outcome.failed} failures`)
    }
    moving('')
    // Last, because they enlarge the heap, which would hide growth.
    await step('huge requests are sent', async () => {
      for (const target of this.targets) await this.sendHuge(target)
    })
    return this.outcome
  }

  private source(lane: Lane, target: Target, [at, number]: [number, number]): InputSource {
    const values = new SchemaValues(this.around.document, lane.known)
    const inputs = inputsOf(target, new GoodRequests(values, lane.facts), values)
    return new InputSource(lane, target, inputs, this.options.seed + at * 10_000 + number * 100)
  }

  /** One group for each operation; the most expensive one is measured input by input to find the slowest. */
  private async round(groups: Drawn[][]): Promise<void> {
    let dearest: { group: Drawn[]; ms: number } = { group: [], ms: 0 }
    for (const group of groups) {
      const used = await this.sendGroup(group)
      const { ms } = highest(used)
      if (ms > CPU_BOUND) await this.findCulprits(group, used)
      else if (ms > dearest.ms) dearest = { group, ms }
    }
    for (const drawn of dearest.group) await this.measure(drawn)
  }

  private async sendGroup(group: Drawn[]): Promise<Amounts> {
    await Promise.all(group.map((drawn) => this.prepare(drawn)))
    const answers: Answer[] = []
    const used = await this.around.meter.of(async () => {
      answers.push(...(await Promise.all(group.map(({ lane, input }) => this.send(lane, input)))))
    })
    for (const [index, drawn] of group.entries()) await this.judge(drawn, answers[index]!)
    return used
  }

  private async findCulprits(group: Drawn[], used: Amounts): Promise<void> {
    const costs: Cost[] = []
    for (const drawn of group) costs.push((await this.measure(drawn)).cost)
    if (costs.some(({ ms }) => ms > CPU_BOUND) || !this.around.meter.isNoNoise(used)) return
    const fault = `one of ${group.length} inputs at once: ${textOf(highest(used))}; none exceeds the bound alone`
    this.outcome.fail(group[0]!.target.name, group[0]!.input, [fault])
  }

  /** Measures one input, which fails when it costs more than the bound; also returns the last answer. */
  private async measure({ lane, target, input }: Sent): Promise<{ cost: Cost; answer: Answer }> {
    const answers: Answer[] = []
    const cost = await this.around.meter.costOf(
      () => this.prepare({ lane, target, input }),
      async () => answers.push(await this.send(lane, input)),
    )
    this.outcome.measured(target.name, input, cost)
    if (cost.ms > CPU_BOUND) this.outcome.fail(target.name, input, [textOf(cost)])
    return { cost, answer: answers.at(-1)! }
  }

  /**
   * Measures huge inputs one by one. In a run over all operations the first that fails is the last of its operation:
   * the others would hold the stack for minutes.
   */
  private async sendHuge(target: Target): Promise<void> {
    const { document } = this.around
    const [lane] = this.around.lanes as [Lane]
    const good = new GoodRequests(new SchemaValues(document, lane.known), lane.facts)
    const [draft] = fc.sample(good.to(target), { seed: this.options.seed, numRuns: 1 })
    for (const input of longInputs(document, target, draft!)) {
      moving(`${target.name}: ${input.distortions.join()}`)
      const { cost, answer } = await this.measure({ lane, target, input })
      this.outcome.answered(target.name, answer.status)
      const faults = this.faults(input, answer)
      if (faults.length > 0) this.outcome.fail(target.name, input, faults)
      if (!this.options.only && (faults.length > 0 || cost.ms > CPU_BOUND)) return
    }
  }

  /** A failed preparation counts as a failure of the operation; its input is sent all the same. */
  private prepare({ lane, target, input }: Sent): Promise<void> {
    return prepare(lane, target.operationId).catch((error: Error) => {
      this.outcome.fail(target.name, input, [`the preparation failed: ${error.message}`])
    })
  }

  private send(lane: Lane, { request }: Input): Promise<Answer> {
    return lane.client.send(request).catch(noAnswer)
  }

  private faults({ request }: Input, answer: Answer): string[] {
    if (answer.status === 0) return [`no answer: ${answer.text}`]
    const { document, schemas } = this.around
    const operation = operationFor(document, request.method, request.path)
    const faults = faultsOf({ operation, schemas }, answer)
    return faults.length === 0 ? [] : [`${answer.status} ${answer.text.slice(0, 300)}`, ...faults]
  }

  private async judge({ lane, target, input, source, ...place }: Drawn, answer: Answer): Promise<void> {
    this.outcome.answered(target.name, answer.status)
    const faults = this.faults(input, answer)
    if (faults.length === 0) return
    const least =
      this.outcome.isNews(target.name) &&
      (await source.shrunk(place, async (other) => {
        await this.prepare({ lane, target, input: other })
        return this.faults(other, await this.send(lane, other))
      }))
    this.outcome.fail(target.name, least ? least.input : input, least ? least.faults : faults)
  }
}

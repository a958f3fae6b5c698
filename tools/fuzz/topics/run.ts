// Publishes messages of every kind on every topic that a service consumes: none may stop a service or cost it more CPU
// time than the bound, and the messages after it take effect.
import fc from 'fast-check'
import type { Producer, RecordMetadata } from 'kafkajs'
import { kafkaProducer } from '../../../deploy/local/parts/kafka-client.ts'
import { topicEnds } from '../../../deploy/local/parts/topic-ends.ts'
import { type Cost, CPU_BOUND, type CpuMeter, highest } from '../cost/bound.ts'
import { distorted, hostileText } from '../values/hostile.ts'
import { type Positions, Readers } from './readers.ts'
import { numbered, type Sample } from './samples.ts'

/** Messages published and measured together: long values among them, less than a topic takes in one request. */
const AT_ONCE = 20
/** Greatest version or sequence. */
const MOST = 1_000_000
const PRINTED = 300

interface Message {
  key: string | null
  value: string | Buffer | null
}

/** Values: samples with changes in them, and bytes that are not a message. */
const valuesOf = (sample: Sample['event']): fc.Arbitrary<Message['value']> =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: distorted(fc.nat(MOST).map((n) => numbered(sample, n))).map((value) => JSON.stringify(value)),
    },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    fc.constantFrom(null, '', '{', 'null', '[]', '"text"', '{"data":{}}', '{"specversion":"1.0","data":null}'),
  )

const keysOf = ({ key, isCompacted }: Sample): fc.Arbitrary<Message['key']> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(key) }, hostileText, fc.constant(isCompacted ? key : null))

const messagesOf = (sample: Sample): fc.Arbitrary<Message> =>
  fc.record({ key: keysOf(sample), value: valuesOf(sample.event) })

/** Positions after the first message of each partition that was written to. */
const afterFirst = (written: readonly RecordMetadata[]): Positions =>
  new Map(
    written.map(({ topicName, partition, baseOffset }) => [`${topicName}/${partition}`, BigInt(baseOffset ?? 0) + 1n]),
  )

export interface TopicsOutcome {
  sent: number
  failures: string[]
  /** Average cost of a message in the most expensive group. */
  dearest: { topic: string; cost: Cost }
}

/** Publishes and measures. */
export class TopicRun {
  private readonly producer: Producer
  private readonly outcome: TopicsOutcome = {
    sent: 0,
    failures: [],
    dearest: { topic: '', cost: { process: '', ms: 0 } },
  }
  /** Ends the run: a service has stopped reading. */
  private isStuck = false
  private readonly brokers: string[]
  private readonly readers: Readers
  private readonly meter: CpuMeter

  constructor(brokers: string[], readers: Readers, meter: CpuMeter) {
    this.brokers = brokers
    this.readers = readers
    this.meter = meter
    this.producer = kafkaProducer(brokers)
  }

  /**
   * Publishes `inputs` messages in all, the same ones for the same seed and samples.
   * @param samples a good message of each topic
   */
  async run(samples: readonly Sample[], { inputs, seed }: { inputs: number; seed: number }): Promise<TopicsOutcome> {
    await this.producer.connect()
    const numRuns = Math.ceil(inputs / samples.length)
    for (const sample of samples) {
      const messages = fc.sample(messagesOf(sample), { numRuns, seed })
      for (let from = 0; from < messages.length && !this.isStuck; from += AT_ONCE)
        await this.group(sample.topic, messages.slice(from, from + AT_ONCE))
    }
    await this.producer.disconnect()
    const topics = samples.map(({ topic }) => topic)
    const ends = [...(await topicEnds(this.brokers, topics))].map(([place, { high }]): [string, bigint] => [
      place,
      high,
    ])
    const stuck = await this.readers.reached(new Map(ends))
    this.outcome.failures.push(...stuck.map((line) => `stuck: ${line}`))
    return this.outcome
  }

  /** Publishes messages together; when they cost too much, publishes each again by itself. */
  private async group(topic: string, messages: Message[]): Promise<void> {
    this.outcome.sent += messages.length
    const used = await this.meter.of(() => this.publish(topic, messages))
    const { process, ms } = highest(used)
    if (ms / messages.length > this.outcome.dearest.cost.ms)
      this.outcome.dearest = { topic, cost: { process, ms: ms / messages.length } }
    if (ms <= CPU_BOUND) return
    const found = this.outcome.failures.length
    for (const message of messages) await this.single(topic, message)
    if (this.outcome.failures.length > found || !this.meter.isNoNoise(used)) return
    this.outcome.failures.push(
      `${topic}: ${messages.length} messages at once cost ${ms.toFixed(0)} ms in ${process}; none exceeds the bound alone`,
    )
  }

  private async single(topic: string, message: Message): Promise<void> {
    const nothing = () => Promise.resolve()
    const { process, ms } = await this.meter.costOf(nothing, () => this.publish(topic, [message]))
    if (ms <= CPU_BOUND) return
    const text = JSON.stringify({ ...message, value: message.value?.toString().slice(0, PRINTED) })
    this.outcome.failures.push(
      `${topic}: ${ms.toFixed(0)} ms of CPU time in ${process}, bound ${CPU_BOUND} ms: ${text}`,
    )
  }

  /** Resolves when every service has read the messages, or one is minutes late. */
  private async publish(topic: string, messages: Message[]): Promise<void> {
    const sent = await this.producer.send({ topic, acks: -1, messages })
    const late = await this.readers.reached(afterFirst(sent))
    this.isStuck ||= late.length > 0
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices'
import { type ConsumedTopic, deadLetterTopic, topics } from '@connectivity/contracts/topics'
import { Database } from '@connectivity/database/database'
import { readFences } from '@connectivity/database/offset-fence'
import { Health } from '@connectivity/service-kit/health'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import { isObservable, lastValueFrom } from 'rxjs'
import { applyBatchIsolatingFaults } from './batch-transaction.js'
import { whileBrokerAnswers } from './broker-patience.js'
import { batchFailures, deadLetters, forgetLag, messagesConsumed, noteLag } from './kafka-metrics.js'
import { InstanceName } from './instance-name.js'
import { readPositions } from './consumer-positions.js'
import { createConsumer, createKafka, KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'
import { OffsetHints } from './offset-hints.js'
import { Processing } from './processing.js'
import { type ConsumedMessage, consumedMessages, type TopicBatch } from './topic-batch.js'
import { waitForTopics } from './wait-for-topics.js'

/** Events per transaction: 76–81 CPU µs an event against 121 at 50 and 2,256 one by one. */
const DEFAULT_BATCH = 500
const PARTITIONS_AT_ONCE = 3
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000
/** A batch that has given no sign of life for so long is stuck, ms. */
const SILENCE_LIMIT = 120_000

/**
 * Nest transport that hands Kafka batches to `@OnBatch` methods, each inside the transaction that holds the partition's
 * position. Kafka's own offset is only a hint: positions come from the database at every assignment.
 */
@Injectable()
export class BatchConsumer extends Server implements CustomTransportStrategy {
  private readonly kafka: Kafka
  private readonly consumer: Consumer
  private readonly hints: OffsetHints
  private seeked: Promise<void> = Promise.resolve()
  private joined = false
  /** What was consumed before can be served while the broker is away. */
  private hasConsumed = false
  private batches = 0
  private lastSign = Date.now()

  constructor(
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly database: Database,
    private readonly name: InstanceName,
    health: Health,
  ) {
    super()
    this.kafka = createKafka(options, log)
    this.consumer = createConsumer(this.kafka, options.group)
    this.hints = new OffsetHints(this.consumer)
    health.addReadiness('kafka consumer', () => (this.joined || this.hasConsumed ? null : 'has not joined its group'))
    health.addLiveness('kafka consumer', () => (this.isStuck() ? 'a batch makes no progress' : null))
  }

  listen(callback: () => void): void {
    this.start().catch((error: unknown) => {
      this.log.fatal({ err: error }, 'consumer could not start')
      process.exit(1)
    })
    callback()
  }

  async close(): Promise<void> {
    await whileBrokerAnswers(this.hints.stop())
    await whileBrokerAnswers(this.consumer.disconnect())
  }

  on(): never {
    throw new Error('the batch consumer has no events to listen to')
  }

  unwrap<T>(): T {
    return this.consumer as T
  }

  private async start(): Promise<void> {
    const subscribed = [...this.getHandlers().keys()]
    const undeclared = subscribed.filter((topic) => !(topic in topics))
    if (undeclared.length > 0) throw new Error(`topics without declaration: ${undeclared.join(', ')}`)
    const fences = await this.untilDone(() => readFences(this.database.reads, this.options.group))
    this.hasConsumed = fences.length > 0
    await waitForTopics(
      this.kafka,
      subscribed.flatMap((topic) => [topic, deadLetterTopic(topic as ConsumedTopic)]),
    )
    await this.untilDone(() => this.name.evictPredecessor(this.kafka))
    this.watch()
    await this.consumer.connect()
    await this.consumer.subscribe({ topics: subscribed, fromBeginning: true })
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: (payload) => this.consume(payload),
    })
    this.hints.start()
  }

  private watch(): void {
    const { GROUP_JOIN, CRASH } = this.consumer.events
    this.consumer.on(GROUP_JOIN, ({ payload }) => {
      this.hints.forget()
      forgetLag()
      this.seeked = this.seek(payload.memberAssignment)
    })
    this.consumer.on(CRASH, ({ payload }) => {
      this.log.error({ err: payload.error, restart: payload.restart }, 'consumer crashed')
      if (!payload.restart) process.exit(1)
    })
  }

  private async seek(assignment: Record<string, number[]>): Promise<void> {
    const positions = await this.untilDone(() => readPositions(this.kafka, this.database, this.options.group, this.log))
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        this.consumer.seek({ topic, partition, offset: positions.get(`${topic}/${partition}`) ?? '0' })
      }
    }
    this.joined = true
  }

  /** Throws nothing but what `heartbeat` throws: any other error would end or spin the consumer (kafkajs 2.2.4). */
  private async consume(payload: EachBatchPayload): Promise<void> {
    this.batches += 1
    this.lastSign = Date.now()
    try {
      await this.whileAlive(this.seeked, payload)
      await this.applyAll(payload)
    } finally {
      this.batches -= 1
    }
  }

  private async applyAll(payload: EachBatchPayload): Promise<void> {
    const messages = consumedMessages(payload.batch.messages)
    noteLag(payload.batch, BigInt(payload.batch.firstOffset() ?? payload.batch.highWatermark))
    const { batch: size = DEFAULT_BATCH } = this.options
    for (let from = 0; from < messages.length; from += size) {
      const done = await this.applyUntilDone(payload, messages.slice(from, from + size))
      if (!done) return
      const { offset } = messages[Math.min(from + size, messages.length) - 1]!
      payload.resolveOffset(offset.toString())
      noteLag(payload.batch, offset + 1n)
    }
    const { topic, partition } = payload.batch
    noteLag(payload.batch, BigInt(payload.batch.lastOffset()) + 1n)
    payload.resolveOffset(payload.batch.lastOffset())
    this.hints.note(topic, partition, payload.batch.lastOffset())
    await this.heartbeat(payload)
  }

  /** @returns false when the partition has been taken from this member meanwhile */
  private applyUntilDone(payload: EachBatchPayload, messages: readonly ConsumedMessage[]): Promise<boolean> {
    const { topic, partition } = payload.batch
    const processing = new Processing({ group: this.options.group, topic, partition }, messages)
    return processing.run(() => this.tryUntilDone(payload, processing))
  }

  private async tryUntilDone(payload: EachBatchPayload, processing: Processing): Promise<boolean> {
    const { source, messages } = processing
    const { topic, partition } = source
    let pause = FIRST_PAUSE
    for (; payload.isRunning() && !payload.isStale(); pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        const handle = (batch: TopicBatch) => this.handle(batch)
        const alive = () => this.heartbeat(payload)
        const letters = await applyBatchIsolatingFaults(this.database, source, messages, handle, alive)
        deadLetters.inc({ topic }, letters.length)
        for (const { message, reason } of letters) {
          processing.setAside(message)
          const offset = message.offset.toString()
          this.log.error({ topic, partition, offset, reason }, 'message set aside as dead letter')
        }
        messagesConsumed.inc({ topic }, messages.length)
        await this.heartbeat(payload)
        return true
      } catch (error) {
        if (isKafkaError(error)) throw error
        batchFailures.inc({ topic })
        this.log.warn({ err: error, topic, partition }, 'batch failed, trying again')
        await this.heartbeat(payload)
        await delay(pause)
      }
    }
    return false
  }

  private async heartbeat(payload: EachBatchPayload): Promise<void> {
    this.lastSign = Date.now()
    await payload.heartbeat()
  }

  /** Waits and tells the group meanwhile that this member lives. */
  private async whileAlive(work: Promise<void>, payload: EachBatchPayload): Promise<void> {
    const done = work.then(() => true)
    while (!(await Promise.race([done, delay(LONGEST_PAUSE, false)]))) await this.heartbeat(payload)
  }

  /** A broker or database that is away is waited out, so only a batch without a sign of life counts. */
  private isStuck(): boolean {
    return this.batches > 0 && Date.now() - this.lastSign > SILENCE_LIMIT
  }

  /** Hands a batch to its topic's handler, which works inside the batch's transaction. */
  async handle(batch: TopicBatch): Promise<void> {
    const handler: MessageHandler | undefined = this.getHandlers().get(batch.topic)
    if (!handler) throw new TypeError(`nothing consumes ${batch.topic} here any more`)
    const result: unknown = await handler(batch)
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined })
  }

  private async untilDone<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        this.log.warn({ err: error }, 'database did not answer, trying again')
        await delay(LONGEST_PAUSE)
      }
    }
  }
}

const isKafkaError = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS')

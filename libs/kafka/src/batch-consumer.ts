import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices'
import { topics } from '@connectivity/contracts/topics'
import { Database } from '@connectivity/database/database'
import { readFences } from '@connectivity/database/offset-fence'
import { Health } from '@connectivity/service-kit/health'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import { isObservable, lastValueFrom } from 'rxjs'
import { applyBatchIsolatingFaults } from './batch-transaction.js'
import { whileBrokerAnswers } from './broker-patience.js'
import { InstanceName } from './instance-name.js'
import { createConsumer, createKafka, KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'
import { OffsetHints } from './offset-hints.js'
import type { ConsumedMessage, TopicBatch } from './topic-batch.js'
import { waitForTopics } from './wait-for-topics.js'

/** Events per transaction: 76–81 CPU µs an event against 121 at 50 and 2,256 one by one. */
const BATCH = 500
const PARTITIONS_AT_ONCE = 3
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000
/** A consumer that neither fetched nor said that it lives for so long is stuck, ms. */
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
    health.addReadiness('kafka consumer', () => (this.joined ? null : 'has not joined its group'))
    health.addLiveness('kafka consumer', () => (Date.now() - this.lastSign < SILENCE_LIMIT ? null : 'silent'))
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
    await waitForTopics(this.kafka, subscribed)
    await this.name.evictPredecessor(this.kafka)
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
    const { GROUP_JOIN, CRASH, FETCH, HEARTBEAT } = this.consumer.events
    this.consumer.on(GROUP_JOIN, ({ payload }) => {
      this.hints.forget()
      this.seeked = this.seekToFences(payload.memberAssignment)
    })
    for (const sign of [FETCH, HEARTBEAT] as const) this.consumer.on(sign, () => (this.lastSign = Date.now()))
    this.consumer.on(CRASH, ({ payload }) => {
      this.log.error({ err: payload.error, restart: payload.restart }, 'consumer crashed')
      if (!payload.restart) process.exit(1)
    })
  }

  /** A partition that the database knows nothing about is read from its beginning, whatever the group's offset says. */
  private async seekToFences(assignment: Record<string, number[]>): Promise<void> {
    const fences = await this.untilDone(() => readFences(this.database.reads, this.options.group))
    const known = new Map(fences.map(({ topic, partition, nextOffset }) => [`${topic}/${partition}`, nextOffset]))
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        this.consumer.seek({ topic, partition, offset: known.get(`${topic}/${partition}`) ?? '0' })
      }
    }
    this.joined = true
  }

  /** Throws nothing but what `heartbeat` throws: any other error would end or spin the consumer (kafkajs 2.2.4). */
  private async consume(payload: EachBatchPayload): Promise<void> {
    await this.seeked
    const messages = payload.batch.messages
      .filter(({ value }) => value !== null)
      .map(({ offset, key, value }): ConsumedMessage => ({ offset: BigInt(offset), key, value: value! }))
    for (let from = 0; from < messages.length; from += BATCH) {
      const done = await this.applyUntilDone(payload, messages.slice(from, from + BATCH))
      if (!done) return
      payload.resolveOffset(messages[Math.min(from + BATCH, messages.length) - 1]!.offset.toString())
    }
    payload.resolveOffset(payload.batch.lastOffset())
    this.hints.note(payload.batch.topic, payload.batch.partition, payload.batch.lastOffset())
    await payload.heartbeat()
  }

  /** @returns false when the partition has been taken from this member meanwhile */
  private async applyUntilDone(payload: EachBatchPayload, messages: readonly ConsumedMessage[]): Promise<boolean> {
    const { topic, partition } = payload.batch
    const fence = { group: this.options.group, topic, partition }
    for (
      let pause = FIRST_PAUSE;
      payload.isRunning() && !payload.isStale();
      pause = Math.min(pause * 2, LONGEST_PAUSE)
    ) {
      try {
        const letters = await applyBatchIsolatingFaults(this.database, fence, messages, (batch) => this.dispatch(batch))
        for (const { message, reason } of letters) {
          this.log.error(
            { topic, partition, offset: message.offset.toString(), reason },
            'message set aside as dead letter',
          )
        }
        await payload.heartbeat()
        return true
      } catch (error) {
        if (isKafkaError(error)) throw error
        this.log.warn({ err: error, topic, partition }, 'batch failed, trying again')
        await payload.heartbeat()
        await delay(pause)
      }
    }
    return false
  }

  private async dispatch(batch: TopicBatch): Promise<void> {
    const handler: MessageHandler = this.getHandlers().get(batch.topic)!
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

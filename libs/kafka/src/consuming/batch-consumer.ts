import { Inject, Injectable } from '@nestjs/common'
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices'
import { type ConsumedTopic, deadLetterTopic, topics } from '@connectivity/contracts/topics'
import { Database, readFences } from '@connectivity/database'
import { Health } from '@connectivity/service-kit/service'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { pause, unlessAborted } from '@connectivity/service-kit/work'
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import { isObservable, lastValueFrom } from 'rxjs'
import { BatchRunner } from './batch-runner.js'
import { type BatchHandler, BeyondLogEnd } from './batch-transaction.js'
import { BrokerConnections } from '../broker/broker-connections.js'
import { type Assignment, readPositions } from './consumer-positions.js'
import { InstanceName } from '../broker/instance-name.js'
import { createConsumer, createKafka, KAFKA_OPTIONS, type KafkaOptions } from '../broker/kafka-client.js'
import { deadLetters, forgetLag } from '../broker/kafka-metrics.js'
import { OffsetHints } from './offset-hints.js'
import { waitForTopics } from '../topics/wait-for-topics.js'

const PARTITIONS_AT_ONCE = 3
const RETRY_PAUSE = 1_000

/**
 * Nest transport that hands Kafka batches to `@OnBatch` methods, each inside the transaction that holds the partition's
 * position. Kafka's own offset is only a hint: positions come from the database at every assignment.
 */
@Injectable()
export class BatchConsumer extends Server implements CustomTransportStrategy {
  private readonly kafka: Kafka
  private readonly connections: BrokerConnections
  private readonly consumer: Consumer
  private readonly hints: OffsetHints
  private readonly runner: BatchRunner
  private readonly stopping = new AbortController()
  private starting: Promise<void> = Promise.resolve()
  private joining: Promise<void> = Promise.resolve()
  private seeked: Promise<boolean> = Promise.resolve(false)
  private joined = false
  /** A service that has consumed before can serve its data while the broker is unavailable. */
  private hasConsumed = false

  constructor(
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly database: Database,
    private readonly name: InstanceName,
    health: Health,
  ) {
    super()
    this.kafka = createKafka(options, log)
    this.connections = new BrokerConnections(this.kafka)
    this.consumer = createConsumer(this.kafka, options.group)
    this.hints = new OffsetHints(this.consumer)
    this.runner = new BatchRunner(options, log, database, this.hints, this.handle, this.stopping.signal)
    health.addReadiness('kafka consumer', () => (this.joined || this.hasConsumed ? null : 'has not joined its group'))
    health.addLiveness('kafka consumer', () => (this.runner.isStuck ? 'a batch makes no progress' : null))
  }

  /** Hands a batch to its topic's handler, which works inside the batch's transaction. */
  readonly handle: BatchHandler = async (batch) => {
    const handler: MessageHandler | undefined = this.getHandlers().get(batch.topic)
    if (!handler) throw new TypeError(`no consumer for ${batch.topic}`)
    const result: unknown = await handler(batch)
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined })
  }

  listen(callback: () => void): void {
    this.starting = this.start().catch((error: unknown) => {
      if (this.stopping.signal.aborted) return
      this.log.fatal({ err: error }, 'consumer could not start')
      process.exit(1)
    })
    callback()
  }

  /** Ends a start in progress, finishes the batches in flight and leaves the group, within 5 s. */
  async close(): Promise<void> {
    this.stopping.abort(new Error('the consumer stops'))
    await this.connections.close(() => this.leave())
    await this.starting
    this.runner.stop()
  }

  on(): never {
    throw new Error('the batch consumer has no events to listen to')
  }

  unwrap<T>(): T {
    return this.consumer as T
  }

  /** Waits for the join first: kafkajs forgets a joining member instead of removing it from the group. */
  private async leave(): Promise<void> {
    await this.joining.catch(() => undefined)
    await this.hints.stop()
    await this.consumer.disconnect()
  }

  private async start(): Promise<void> {
    const subscribed = [...this.getHandlers().keys()]
    const undeclared = subscribed.filter((topic) => !(topic in topics))
    if (undeclared.length > 0) throw new Error(`topics without declaration: ${undeclared.join(', ')}`)
    // Prometheus sees no increase in the first sample of a counter: the first burst would raise no alert.
    for (const topic of subscribed) deadLetters.inc({ topic }, 0)
    const { signal } = this.stopping
    const fences = await this.untilDone(() => readFences(this.database, this.options.group))
    this.hasConsumed = fences.length > 0
    const needed = subscribed.flatMap((topic) => [topic, deadLetterTopic(topic as ConsumedTopic)])
    await waitForTopics(this.kafka, needed, signal)
    await this.untilDone(() => this.name.evictPredecessor(this.kafka, signal))
    this.watch()
    await this.consumer.connect()
    await this.consumer.subscribe({ topics: subscribed, fromBeginning: true })
    signal.throwIfAborted()
    this.joining = this.join()
    await this.joining
    signal.throwIfAborted()
    this.hints.start()
  }

  private join(): Promise<void> {
    return this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: (payload) => this.runBatch(payload),
    })
  }

  /**
   * Applies a batch. If the position is beyond the end of the log as fetched, checks it against the present end, as at
   * an assignment. kafkajs reads such a log from its beginning by itself, but all of its messages would be skipped.
   */
  private async runBatch(payload: EachBatchPayload): Promise<void> {
    try {
      await this.runner.run(payload, this.seeked)
    } catch (error) {
      if (!(error instanceof BeyondLogEnd)) throw error
      const { topic, partition } = payload.batch
      await this.seek({ [topic]: [partition] }).catch(unlessStopped(this.stopping.signal))
    }
  }

  private watch(): void {
    const { signal } = this.stopping
    const { GROUP_JOIN, END_BATCH_PROCESS, CRASH } = this.consumer.events
    this.consumer.on(GROUP_JOIN, ({ payload }) => {
      this.hints.forget()
      forgetLag()
      this.seeked = this.seek(payload.memberAssignment).catch(unlessStopped(signal))
    })
    this.consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      if (payload.batchSize === 0 && payload.firstOffset !== null) void this.runner.passed(payload)
    })
    this.consumer.on(CRASH, ({ payload }) => {
      if (signal.aborted) return
      this.log.error({ err: payload.error, restart: payload.restart }, 'consumer crashed')
      if (!payload.restart) process.exit(1)
    })
  }

  /** @returns true once the partitions are at their positions */
  private async seek(assignment: Assignment): Promise<true> {
    const { kafka, database, options, log } = this
    const positions = await this.untilDone(() => readPositions({ kafka, database, options, assignment, log }))
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        this.consumer.seek({ topic, partition, offset: positions.get(`${topic}/${partition}`) ?? '0' })
      }
    }
    this.joined = true
    return true
  }

  /** @throws the stop's reason once the consumer is closed */
  private async untilDone<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.stopping
    for (;;) {
      signal.throwIfAborted()
      try {
        return await unlessAborted(work(), signal)
      } catch (error) {
        signal.throwIfAborted()
        this.log.warn({ err: error }, 'database or broker did not answer, trying again')
        await pause(RETRY_PAUSE, signal)
      }
    }
  }
}

/** @returns false for an error caused by a stop */
const unlessStopped =
  (signal: AbortSignal) =>
  (error: unknown): false => {
    if (signal.aborted) return false
    throw error
  }

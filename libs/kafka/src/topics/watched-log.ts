import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import type { ConsumedTopic } from '@connectivity/contracts/topics'
import { Database, readFences } from '@connectivity/database'
import { BackgroundLoop, unlessAborted } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { Admin } from 'kafkajs'
import { BrokerConnections } from '../broker/broker-connections.js'
import { createKafka, KAFKA_OPTIONS, type KafkaOptions } from '../broker/kafka-client.js'
import { LogAge, type PartitionState } from './log-age.js'

/** Injection token of the watched topic. */
export const WATCHED_TOPIC = Symbol('watched topic')

/** Interval between two checks, ms. */
const EVERY = 500
/** Longest time of a check before the log counts as unknown, ms. */
const PATIENCE = 3_000
/** Longest age that is shown, and its precision, ms. */
const LONGEST_AGE = 32 * 24 * 3_600_000
const EXACTNESS = 1_000

/**
 * Measures how far the service is behind a topic: compares the end of the log with the positions of all its processes,
 * in the background.
 */
@Injectable()
export class WatchedLog implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly age = new LogAge(PATIENCE, performance.now())
  private readonly stopping = new AbortController()
  private readonly connections: BrokerConnections
  private readonly admin: Admin
  private isConnected = false
  private readonly loop = new BackgroundLoop(
    () => this.look(),
    (err) => {
      if (!this.stopping.signal.aborted) this.log.debug({ err, topic: this.topic }, 'the end of the log is unknown')
      return EVERY
    },
  )

  constructor(
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
    @Inject(WATCHED_TOPIC) private readonly topic: ConsumedTopic,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly database: Database,
  ) {
    const kafka = createKafka(options, log)
    this.connections = new BrokerConnections(kafka)
    this.admin = kafka.admin()
  }

  /** Age of the oldest message that is known to be in the log and has not taken effect, ms; 0 when there is none. */
  lagMilliseconds(): number {
    return this.age.milliseconds(performance.now())
  }

  onApplicationBootstrap(): void {
    this.loop.start()
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort(new Error('the watch stops'))
    await this.loop.stop()
    await this.connections.close(() => this.admin.disconnect())
  }

  private async look(): Promise<number> {
    // Positions first: one beyond the end then belongs to a log that was recreated or has lost messages.
    const fences = await readFences(this.database, this.options.group)
    const ends = await unlessAborted(this.ends(), this.stopping.signal)
    const applied = new Map(fences.map(({ topic, partition, nextOffset }) => [`${topic}/${partition}`, nextOffset]))
    const states = ends.map(({ partition, high, low }) => {
      const [end, position] = [BigInt(high), BigInt(applied.get(`${this.topic}/${partition}`) ?? 0)]
      // Messages that have expired cannot take effect any more.
      return { partition, end, applied: position > end ? BigInt(low) : latest(position, BigInt(low)) }
    })
    const inherited = this.age.inherited(states)
    const age = inherited.length > 0 ? await unlessAborted(this.oldestOf(inherited), this.stopping.signal) : 0
    this.age.look(states, performance.now(), age)
    return EVERY
  }

  /**
   * Age of the oldest message that has not taken effect, by its timestamp, ms. Kafka returns the first offset at or
   * after a time, so a binary search finds the time: some twenty requests, only while a backlog from before the start
   * remains.
   */
  private async oldestOf(inherited: readonly PartitionState[]): Promise<number> {
    const now = Date.now()
    let [from, to] = [now - LONGEST_AGE, now]
    while (to - from > EXACTNESS) {
      const middle = Math.floor((from + to) / 2)
      const offsets = await this.admin.fetchTopicOffsetsByTimestamp(this.topic, middle)
      const firsts = new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]))
      const isOlder = inherited.some(({ partition, applied }) => (firsts.get(partition) ?? 0n) > applied)
      if (isOlder) to = middle
      else from = middle
    }
    return now - to
  }

  private async ends(): Promise<{ partition: number; high: string; low: string }[]> {
    if (!this.isConnected) await this.admin.connect()
    this.isConnected = true
    return this.admin.fetchTopicOffsets(this.topic)
  }
}

const latest = (one: bigint, other: bigint): bigint => (one > other ? one : other)

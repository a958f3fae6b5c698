import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { Nap } from '@connectivity/service-kit/nap'
import type { Producer } from 'kafkajs'
import { createKafka, createProducer, KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'
import { whileBrokerAnswers } from './broker-patience.js'
import { outboxPublished } from './kafka-metrics.js'
import { deleteFromOutbox, type OutboxRow, parkInOutbox, type ParkReason, readOutbox } from './outbox-rows.js'
import { Sending } from './sending.js'

const RETRY_PAUSE = 1_000
/** Backstop for a wake-up that got lost, ms. */
const POLL = 1_000
/** Bursts of commits of other replicas wake the leader once, ms. */
const COALESCE = 10
const CHANNEL = 'outbox'
/** Stays below the 1 MiB that a broker takes in one batch of a partition; a larger message goes alone. */
const SEND_BYTES = 900 * 1024

type Session = Awaited<ReturnType<Database['session']>>

/**
 * Publishes the outbox in order: one replica at a time (advisory lock), acknowledged by all replicas of the broker
 * before the rows are deleted. A crash between the two publishes rows again, which consumers ignore; order per key holds.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly producer: Producer
  private stopped = false
  private leading = false
  private pending = false
  private readonly nap = new Nap()
  private running: Promise<void> = Promise.resolve()
  private session: Session | undefined
  private signal: NodeJS.Timeout | undefined

  constructor(
    @Inject(KAFKA_OPTIONS) options: KafkaOptions,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly database: Database,
  ) {
    this.producer = createProducer(createKafka(options, log))
  }

  onApplicationBootstrap(): void {
    this.database.committed.on('outbox', () => this.nudge())
    this.running = this.run()
  }

  async onModuleDestroy(): Promise<void> {
    this.stopped = true
    this.nap.wake()
    await whileBrokerAnswers(this.running)
    clearTimeout(this.signal)
    await this.session?.end()
    await whileBrokerAnswers(this.producer.disconnect())
  }

  /** Something was written: publish it now, or tell the replica that publishes. */
  private nudge(): void {
    this.pending = true
    if (this.leading) return this.nap.wake()
    this.signal ??= setTimeout(() => {
      this.signal = undefined
      this.database.reads.query(`NOTIFY ${CHANNEL}`).catch(() => undefined)
    }, COALESCE)
  }

  private async run(): Promise<void> {
    await this.producer.connect()
    while (!this.stopped) {
      try {
        if (await this.lead()) await this.drainWhileLeading()
        else await this.nap.sleep(POLL)
      } catch (error) {
        this.log.warn({ err: error }, 'outbox relay interrupted, trying again')
        await this.resign()
        await delay(RETRY_PAUSE)
      }
    }
  }

  /** The lock lives and dies with the session, and every read goes through it: who lost it cannot go on publishing. */
  private async lead(): Promise<boolean> {
    this.session ??= await this.openSession()
    const { rows } = await this.session.query<{ leads: boolean }>(
      `SELECT pg_try_advisory_lock(hashtext('outbox relay')) AS leads`,
    )
    this.leading = rows[0]!.leads
    if (this.leading) await this.session.query(`LISTEN ${CHANNEL}`)
    return this.leading
  }

  private async openSession(): Promise<Session> {
    const session = await this.database.session()
    session.on('notification', () => {
      this.pending = true
      this.nap.wake()
    })
    return session
  }

  private async resign(): Promise<void> {
    this.leading = false
    await this.session?.end().catch(() => undefined)
    this.session = undefined
  }

  private async drainWhileLeading(): Promise<void> {
    while (!this.stopped) {
      this.pending = false
      const rows = await readOutbox(this.session!)
      for (const group of groupsBySize(rows)) await this.publish(group)
      if (rows.length === 0 && !this.pending) await this.nap.sleep(POLL)
    }
  }

  private async publish(rows: readonly OutboxRow[]): Promise<void> {
    try {
      await this.send(rows)
    } catch (error) {
      if (!isTooLarge(error)) throw error
      if (rows.length > 1) {
        for (const row of rows) await this.publish([row])
        return
      }
      const [{ id, topic, key }] = rows as [OutboxRow]
      const reason: ParkReason = 'message_too_large'
      await parkInOutbox(this.session!, id, reason)
      this.log.error({ err: error, outbox_id: id, topic, key: key?.toString(), reason }, 'message parked')
    }
  }

  private async send(rows: readonly OutboxRow[]): Promise<void> {
    const sending = new Sending(rows)
    const byTopic = Map.groupBy(sending.rows, ({ topic }) => topic)
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages: [...messages] }))
    let failed = true
    try {
      await this.producer.sendBatch({ acks: -1, topicMessages })
      failed = false
    } finally {
      sending.end(failed)
    }
    for (const { topic, messages } of topicMessages) outboxPublished.inc({ topic }, messages.length)
    await deleteFromOutbox(this.session!, rows)
  }
}

/** The broker refuses the message for its size, or a request for that of a message in it. */
const isTooLarge = (error: unknown): boolean => (error as { type?: string }).type === 'MESSAGE_TOO_LARGE'

/** Splits in order so that no group exceeds what a broker takes at once. */
function groupsBySize<T extends { bytes: number }>(rows: readonly T[], limit = SEND_BYTES): T[][] {
  const groups: T[][] = []
  let size = Infinity
  for (const row of rows) {
    if (size + row.bytes > limit) {
      groups.push([])
      size = 0
    }
    groups.at(-1)!.push(row)
    size += row.bytes
  }
  return groups
}

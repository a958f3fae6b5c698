import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { advisoryLocks, Database, endWhenFrozen, isAlive, OUTBOX_WRITTEN, tryLock } from '@connectivity/database'
import { listen } from '@connectivity/database/notifications'
import { BackgroundLoop, pause, unlessAborted } from '@connectivity/service-kit/work'
import { type Logger, LOGGER, ThrottledLog } from '@connectivity/service-kit/logging'
import type { Producer } from 'kafkajs'
import { createKafka, createProducer, KAFKA_OPTIONS, type KafkaOptions } from '../broker/kafka-client.js'
import { BrokerConnections } from '../broker/broker-connections.js'
import { outboxPublished } from '../broker/kafka-metrics.js'
import {
  deleteFromOutbox,
  notifyOutbox,
  OUTBOX_CHANNEL,
  type OutboxRow,
  parkInOutbox,
  type ParkReason,
  readOutbox,
} from './outbox-rows.store.js'
import { OutboxSpans } from './outbox-spans.js'

const RETRY_PAUSE = 1_000
/** Backstop for a lost wake-up, ms. */
const POLL = 1_000
/** Commits of another replica within this time wake the leader once, ms. */
const COALESCE = 10
/**
 * Shortest time between two reads of an outbox that was read to its end, ms: messages gather while many commits come.
 */
const GATHERING = 10
/**
 * Longest time for which an answer of the lock's session proves that the lock is held, ms. A process that was frozen
 * between reading and sending asks again first.
 */
const HELD = 2_000
/** Most bytes sent together, below a broker's 1 MiB for one batch of a partition. A larger message is sent alone. */
const SEND_BYTES = 900 * 1024

type Session = Awaited<ReturnType<Database['session']>>

/** A producer with the connections that it sends on. */
class Broker {
  readonly connections: BrokerConnections
  readonly producer: Producer
  private connected: Promise<void> | undefined

  constructor(options: KafkaOptions, log: Logger) {
    const kafka = createKafka(options, log)
    this.connections = new BrokerConnections(kafka)
    this.producer = createProducer(kafka)
  }

  async connect(): Promise<void> {
    try {
      await (this.connected ??= this.producer.connect())
    } catch (error) {
      this.connected = undefined
      throw error
    }
  }
}

/**
 * Publishes the outbox in order, one replica at a time (advisory lock). All replicas of the broker acknowledge the rows
 * before they are deleted. A crash in between publishes rows again, which consumers ignore; order per key holds. An old
 * version that arrives late would be the last one of its key. So a replica sends only while it knows that it holds the
 * lock, and cuts its connections to the brokers when it loses the lock.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, OnModuleDestroy {
  private broker: Broker
  private readonly parked: ThrottledLog<{ topic: string }>
  private readonly stopping = new AbortController()
  private leading = false
  private pending = false
  /** Earliest time of the next read, as of `performance.now()`. */
  private readAgainAt = 0
  private readonly loop = new BackgroundLoop(
    () => this.round(),
    (error) => this.recover(error),
  )
  private session: Session | undefined
  /** When the lock was held for certain, as of `performance.now()`. */
  private heldAt = -Infinity
  private signal: NodeJS.Timeout | undefined
  private stopListening = (): void => undefined

  constructor(
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly database: Database,
  ) {
    this.broker = new Broker(options, log)
    this.parked = new ThrottledLog(({ place, reason, count, first, last, err }) =>
      log.error({ err, ...place, reason, count, first_outbox_id: first, last_outbox_id: last }, 'messages parked'),
    )
  }

  onApplicationBootstrap(): void {
    this.stopListening = this.database.onCommit(OUTBOX_WRITTEN, this.onWritten)
    this.loop.start()
  }

  /** Waits for messages in flight if a broker is connected, and ends within 5 s. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort(new Error('the relay stops'))
    this.stopListening()
    clearTimeout(this.signal)
    const ended = this.loop.stop()
    const { connections, producer } = this.broker
    await connections.close(async () => {
      await ended
      await producer.disconnect()
    })
    // Ends a hanging statement, if there is one, with its session.
    await this.session?.end().catch(() => undefined)
    await ended
    this.parked.stop()
  }

  /** New messages are waiting: publishes them now, or notifies the replica that publishes. */
  private readonly onWritten = (): void => {
    if (this.leading) return this.wake()
    this.pending = true
    this.signal ??= setTimeout(() => {
      this.signal = undefined
      notifyOutbox(this.database).catch(() => undefined)
    }, COALESCE)
  }

  /** @returns how long to rest, ms: 0 while there is something to publish */
  private async round(): Promise<number> {
    await this.broker.connect()
    if (!this.leading && !(await this.lead())) return POLL
    await this.gather()
    this.pending = false
    const begun = performance.now()
    const { rows, isAll } = await this.ask(readOutbox)
    for (const group of groupsBySize(rows)) await this.publish(group)
    if (!isAll) return 0
    if (rows.length > 0) this.readAgainAt = begun + GATHERING
    return this.pending ? 0 : POLL
  }

  private async gather(): Promise<void> {
    const rest = this.readAgainAt - performance.now()
    if (rest > 0) await pause(rest, this.stopping.signal)
  }

  private async recover(error: unknown): Promise<number> {
    if (this.stopping.signal.aborted) return 0
    this.log.warn({ err: error }, 'outbox relay interrupted, trying again')
    await this.resign()
    return RETRY_PAUSE
  }

  /** The lock lives and dies with the session that every read uses; so do the connections that messages are sent on. */
  private async lead(): Promise<boolean> {
    this.session ??= await unlessAborted(this.database.session(), this.stopping.signal, (late) => late.end())
    this.leading = await tryLock(this.session, advisoryLocks.outboxRelay)
    if (!this.leading) return false
    await endWhenFrozen(this.session)
    const { connections } = this.broker
    this.session.once('end', () => void connections.cut())
    await listen(this.session, OUTBOX_CHANNEL, () => this.wake())
    return true
  }

  /** Asks the session that holds the lock. */
  private async ask<T>(question: (session: Session) => Promise<T>): Promise<T> {
    const asked = performance.now()
    const answer = await question(this.session!)
    this.heldAt = asked
    return answer
  }

  /** @throws Error when the session has ended */
  private async ensureHeld(): Promise<void> {
    while (performance.now() > this.heldAt + HELD)
      if (!(await this.ask(isAlive))) throw new Error('the session that holds the lock has ended')
  }

  private wake(): void {
    this.pending = true
    this.loop.wake()
  }

  private async resign(): Promise<void> {
    const led = this.leading
    this.leading = false
    // First: with the session's end another replica may lead.
    if (led) {
      await this.broker.connections.cut()
      this.broker = new Broker(this.options, this.log)
    }
    await this.session?.end().catch(() => undefined)
    this.session = undefined
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
      const [{ id, topic }] = rows as [OutboxRow]
      const reason: ParkReason = 'message_too_large'
      await this.ask((session) => parkInOutbox(session, id, reason))
      this.parked.note({ place: { topic }, reason, position: id, err: error })
    }
  }

  private async send(rows: readonly OutboxRow[]): Promise<void> {
    const spans = new OutboxSpans(rows)
    const byTopic = Map.groupBy(spans.rows, ({ topic }) => topic)
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages: [...messages] }))
    await this.ensureHeld()
    let failed = true
    try {
      await this.broker.producer.sendBatch({ acks: -1, topicMessages })
      failed = false
    } finally {
      spans.end(failed)
    }
    for (const { topic, messages } of topicMessages) outboxPublished.inc({ topic }, messages.length)
    await this.ask((session) => deleteFromOutbox(session, rows))
  }
}

/** Whether the broker refuses a message, or a request with it, because of its size. */
const isTooLarge = (error: unknown): boolean => (error as { type?: string }).type === 'MESSAGE_TOO_LARGE'

/** Splits in order so that no group exceeds what a broker accepts at once. */
function groupsBySize<T extends { bytes: number }>(rows: readonly T[]): T[][] {
  const groups: T[][] = []
  let size = Infinity
  for (const row of rows) {
    if (size + row.bytes > SEND_BYTES) {
      groups.push([])
      size = 0
    }
    groups.at(-1)!.push(row)
    size += row.bytes
  }
  return groups
}

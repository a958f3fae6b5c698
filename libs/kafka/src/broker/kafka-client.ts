import { createRequire } from 'node:module'
import { type Consumer, Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import type { ConsumedTopic } from '@connectivity/contracts/topics'
import type { Database } from '@connectivity/database'
import type { Logger } from '@connectivity/service-kit/logging'
import type { BrokerAccess } from './broker-access.js'
import { withTopicPrefix } from './topic-prefix.js'

/** Kafka settings of a service. */
export interface KafkaOptions extends BrokerAccess {
  /** Stable name of this instance, also its Kafka client id. */
  instance: string
  /** Name of the service, as operators see it. */
  service: string
  /** Consumer group. */
  group: string
  /** Prefix of every topic on the broker; only for test suites. */
  topicPrefix?: string
  /** Messages that take effect together, see `BatchConsumer`. */
  batch?: number
  /**
   * Pause of a partition at the end of its log, ms, by topic. Messages that arrive during the pause are read together,
   * by the first fetch after it, which begins up to 500 ms later.
   */
  pausesAtEnd?: Readonly<Partial<Record<ConsumedTopic, number>>>
  /** Topics to read from their beginning once more, asked whenever partitions are assigned; absent: none. */
  readAgain?: (database: Database) => Promise<readonly ConsumedTopic[]>
  /** Days for which settled dead letters are kept; absent: for ever. */
  deadLetterDays?: number
  /** Days for which open dead letters are kept; absent: for ever. */
  openDeadLetterDays?: number
}

/** Injection token of `KafkaOptions`. */
export const KAFKA_OPTIONS = Symbol('kafka options')

/** Reconnects 0.3 s after the broker is back instead of giving up: a crash would cost a session timeout. */
const retry = { initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, factor: 0.2, retries: 1e9 }

interface RequestQueue {
  pending: unknown[]
  scheduleCheckPendingRequests(): void
}

/** Stops kafkajs 2.2.4 from waking up every millisecond when nothing is pending, which costs 2.5 % of a core. */
function quietIdleTimer(): void {
  const require = createRequire(import.meta.url)
  const queue = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue }
  const original = queue.prototype.scheduleCheckPendingRequests
  queue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) original.call(this)
  }
}
quietIdleTimer()

/** Expected in every broker outage and rebalance; kafkajs reports them as errors and retries by itself. */
const toLog =
  (logger: Logger) =>
  () =>
  ({ namespace, log }: { namespace: string; log: { message: string; error?: string } }): void =>
    logger.debug({ kafka: namespace, error: log.error }, log.message)

type Client = BrokerAccess & Pick<KafkaOptions, 'instance' | 'topicPrefix'>

/** Kafka client of this instance; nothing is connected yet. */
export function createKafka({ topicPrefix = '', ...access }: Client, logger: Logger): Kafka {
  const kafka = clientOf(access, logger)
  return topicPrefix === '' ? kafka : withTopicPrefix(kafka, topicPrefix)
}

const clientOf = ({ brokers, ssl, sasl, instance }: Omit<Client, 'topicPrefix'>, logger: Logger): Kafka =>
  new Kafka({
    clientId: instance,
    brokers: [...brokers],
    ssl,
    sasl,
    connectionTimeout: 1_000,
    requestTimeout: 15_000,
    retry,
    logLevel: logLevel.WARN,
    logCreator: toLog(logger),
  })

/** Idempotent, one request in flight: order survives retries. Murmur2, as Java and every other producer of ours. */
export const createProducer = (kafka: Kafka): Producer =>
  kafka.producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner: Partitioners.DefaultPartitioner })

/** A consumer that waits for the broker during outages and restarts after errors that kafkajs retries. */
export const createConsumer = (kafka: Kafka, groupId: string): Consumer =>
  kafka.consumer({
    groupId,
    sessionTimeout: 10_000,
    heartbeatInterval: 1_000,
    rebalanceTimeout: 15_000,
    // A message ends the wait at once. Stops, rebalances and heartbeats are delayed by at most this time.
    maxWaitTimeInMs: 500,
    maxBytesPerPartition: 524_288,
    retry: { ...retry, restartOnFailure: async () => true },
  })

import { Counter, Gauge } from 'prom-client'

/** A partition as a fetch reports it. */
interface Fetched {
  topic: string
  partition: number
  /** End of the log. */
  highWatermark: string
}

/** Messages whose effect is committed, dead letters among them. */
export const messagesConsumed = new Counter({
  name: 'connectivity_kafka_messages_consumed_total',
  help: 'Messages whose effect is committed, by topic.',
  labelNames: ['topic'] as const,
})

/** Messages of this process that were set aside. */
export const deadLetters = new Counter({
  name: 'connectivity_kafka_dead_letters_total',
  help: 'Messages set aside because they could not be used, by topic.',
  labelNames: ['topic'] as const,
})

let countOpen = async (): Promise<void> => undefined

/** Sets the function that counts open dead letters whenever the metrics are read. */
export const countOpenWith = (count: () => Promise<void>): void => void (countOpen = count)

/** Total of all instances of the service. */
export const openDeadLetters = new Gauge({
  name: 'connectivity_kafka_dead_letters_open',
  help: 'Messages that were set aside and neither replayed nor discarded yet, by topic.',
  labelNames: ['topic'] as const,
  collect: () => countOpen(),
})

let countParked = async (): Promise<void> => undefined

/** Sets the function that counts parked messages whenever the metrics are read. */
export const countParkedWith = (count: () => Promise<void>): void => void (countParked = count)

/** Total of all instances of the service. */
export const parkedMessages = new Gauge({
  name: 'connectivity_outbox_parked',
  help: 'Messages of the outbox that are set aside and not published, by topic and reason.',
  labelNames: ['topic', 'reason'] as const,
  collect: () => countParked(),
})

let countWaiting = async (): Promise<void> => undefined

/** Sets the function that counts waiting messages whenever the metrics are read. */
export const countWaitingWith = (count: () => Promise<void>): void => void (countWaiting = count)

/** Total of all instances of the service. */
export const waitingMessages = new Gauge({
  name: 'connectivity_outbox_waiting',
  help: 'Messages of the outbox that the broker has not acknowledged yet, 10,000 standing for all above.',
  collect: () => countWaiting(),
})

/** Lag as of the last fetch: does not change while the broker is unavailable, and restarts with every assignment. */
export const consumerLag = new Gauge({
  name: 'connectivity_kafka_consumer_lag',
  help: 'Messages of a partition between what has taken effect here and the end of its log as last fetched.',
  labelNames: ['topic', 'partition'] as const,
})

/** @param next first offset that has not taken effect */
export function noteLag({ topic, partition, highWatermark }: Fetched, next: bigint): void {
  consumerLag.set({ topic, partition }, Math.max(0, Number(BigInt(highWatermark) - next)))
}

/** Called after a rebalance: the partitions may belong to another member. */
export const forgetLag = (): void => consumerLag.reset()

/** Failures of the database or of a lock; the content of a message never causes one. */
export const batchFailures = new Counter({
  name: 'connectivity_kafka_batch_failures_total',
  help: 'Batches that failed as a whole and were tried again, by topic.',
  labelNames: ['topic'] as const,
})

/** Messages that this process has published. */
export const outboxPublished = new Counter({
  name: 'connectivity_outbox_published_total',
  help: 'Messages of the outbox that the broker has acknowledged, by topic.',
  labelNames: ['topic'] as const,
})

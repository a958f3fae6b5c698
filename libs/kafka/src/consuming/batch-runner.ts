import type { ConsumedTopic } from '@connectivity/contracts/topics'
import { type Database, type EmptyOffsets, type FencedPartition, skipOffsets } from '@connectivity/database'
import { loggedError, type Logger } from '@connectivity/service-kit/logging'
import { pause } from '@connectivity/service-kit/work'
import type { Batch, EachBatchPayload } from 'kafkajs'
import { BatchSpans } from './batch-spans.js'
import { type BatchHandler, BeyondLogEnd } from './batch-transaction.js'
import { isolating } from './isolating.js'
import type { KafkaOptions } from '../broker/kafka-client.js'
import { batchFailures, deadLetters, messagesConsumed, noteLag } from '../broker/kafka-metrics.js'
import { MessageLog } from './message-log.js'
import type { OffsetHints } from './offset-hints.js'
import { type ConsumedMessage, consumedMessages, type DeadLetter } from './topic-batch.js'

/** Events per transaction. CPU per event: 76–81 µs, against 121 µs at 50 and 2,256 µs one by one. */
const DEFAULT_BATCH = 500
const FIRST_PAUSE = 50
const LONGEST_PAUSE = 1_000
/** A batch without progress for this long is stuck, ms. */
const SILENCE_LIMIT = 120_000

/** A batch of control records and aborted messages alone. */
export type FilteredBatch = Pick<Batch, 'topic' | 'partition'> & { firstOffset: string; lastOffset: string }

/** Applies the batches of kafkajs, each with as many retries as it needs while the partition is ours. */
export class BatchRunner {
  private readonly setAside: MessageLog
  private readonly failed: MessageLog
  private batches = 0
  private lastSign = Date.now()

  /** @param stopping ends the pauses between tries */
  constructor(
    private readonly options: KafkaOptions,
    log: Logger,
    private readonly database: Database,
    private readonly hints: OffsetHints,
    private readonly handle: BatchHandler,
    private readonly stopping: AbortSignal,
  ) {
    this.setAside = new MessageLog((line) => log.error(line, 'messages set aside as dead letters'))
    this.failed = new MessageLog((line) => log.warn(line, 'batch failed, trying again'))
  }

  /** Whether a batch makes no progress; retries during outages of the broker or the database count as progress. */
  get isStuck(): boolean {
    return this.batches > 0 && Date.now() - this.lastSign > SILENCE_LIMIT
  }

  /** Writes the collected log lines. */
  stop(): void {
    this.setAside.stop()
    this.failed.stop()
  }

  /**
   * Applies a batch in chunks of one transaction each. Throws only BeyondLogEnd and errors of `heartbeat`: any other
   * error would end the consumer or make it spin (kafkajs 2.2.4).
   * @param seeked whether the partition is at its position; the batch waits for it, and is skipped if it is false
   */
  async run(payload: EachBatchPayload, seeked: Promise<boolean>): Promise<void> {
    const { batch } = payload
    this.batches += 1
    this.lastSign = Date.now()
    try {
      if (!(await this.whileAlive(seeked, payload))) return
      noteLag(batch, BigInt(batch.firstOffset() ?? batch.highWatermark))
      for (const chunk of chunksOf(consumedMessages(batch.messages), this.options.batch)) {
        if (!(await this.apply(chunk, payload))) return
        const { offset } = chunk.at(-1)!
        payload.resolveOffset(offset.toString())
        noteLag(batch, offset + 1n)
      }
      if (!(await this.skipRest(payload))) return
      noteLag(batch, BigInt(batch.lastOffset()) + 1n)
      payload.resolveOffset(batch.lastOffset())
      this.hints.note(batch.topic, batch.partition, batch.lastOffset())
      await this.heartbeat(payload)
      this.pauseAtEnd(payload)
    } finally {
      this.batches -= 1
    }
  }

  /** Fetches nothing of the partition for the pause of its topic, unless more of it is there already. */
  private pauseAtEnd(payload: EachBatchPayload): void {
    const { batch } = payload
    const milliseconds = this.options.pausesAtEnd?.[batch.topic as ConsumedTopic]
    if (milliseconds === undefined || BigInt(batch.lastOffset()) + 1n < BigInt(batch.highWatermark)) return
    const resume = payload.pause()
    void pause(milliseconds, this.stopping).then(resume)
  }

  /**
   * Moves the position over a batch that kafkajs does not hand to `run`, such as an aborted transaction. Not tried
   * again: the next message moves the position too.
   */
  async passed({ topic, partition, firstOffset, lastOffset }: FilteredBatch): Promise<void> {
    const fence = { group: this.options.group, topic, partition }
    const offsets = { first: BigInt(firstOffset), last: BigInt(lastOffset) }
    await skipOffsets(this.database, fence, offsets).catch((error: unknown) => {
      this.failed.note(fence, offsets.first, loggedError(error).message, error)
    })
  }

  /** @returns false if this member has lost the partition in the meantime */
  private apply(chunk: readonly ConsumedMessage[], payload: EachBatchPayload): Promise<boolean> {
    const fence = this.fenceOf(payload.batch)
    const spans = new BatchSpans(fence, chunk)
    const onProgress = () => this.heartbeat(payload)
    const onDeadLetters = (letters: readonly DeadLetter[]) => this.noteDeadLetters(spans, letters)
    const end = BigInt(payload.batch.highWatermark)
    const work = { database: this.database, fence, handle: this.handle, end, onProgress, onDeadLetters }
    const isolated = async () => {
      await isolating(spans.messages, work)
      messagesConsumed.inc({ topic: fence.topic }, chunk.length)
    }
    return spans.around(() => this.retrying(isolated, chunk[0]!.offset, payload))
  }

  /**
   * Moves the position over the end of a batch that holds no messages, or the service would appear to be behind.
   * @returns false if this member has lost the partition in the meantime
   */
  private async skipRest(payload: EachBatchPayload): Promise<boolean> {
    const rest = restOf(payload.batch)
    if (!rest) return true
    const fence = this.fenceOf(payload.batch)
    return this.retrying(() => skipOffsets(this.database, fence, rest), rest.first, payload)
  }

  private fenceOf({ topic, partition }: Batch): FencedPartition {
    return { group: this.options.group, topic, partition }
  }

  /**
   * Does the work, trying again until it succeeds.
   * @returns false if this member has lost the partition in the meantime
   */
  private async retrying(work: () => Promise<void>, first: bigint, payload: EachBatchPayload): Promise<boolean> {
    const fence = this.fenceOf(payload.batch)
    let rest = FIRST_PAUSE
    for (; payload.isRunning() && !payload.isStale(); rest = Math.min(rest * 2, LONGEST_PAUSE)) {
      try {
        await work()
        await this.heartbeat(payload)
        return true
      } catch (error) {
        if (isKafkaError(error) || error instanceof BeyondLogEnd) throw error
        batchFailures.inc({ topic: fence.topic })
        this.failed.note(fence, first, loggedError(error).message, error)
        await this.heartbeat(payload)
        await pause(rest, this.stopping)
      }
    }
    return false
  }

  private noteDeadLetters(spans: BatchSpans, letters: readonly DeadLetter[]): void {
    const { source } = spans
    deadLetters.inc({ topic: source.topic }, letters.length)
    for (const { message, reason } of letters) {
      spans.setAside(message)
      this.setAside.note(source, message.offset, reason)
    }
  }

  private async heartbeat(payload: EachBatchPayload): Promise<void> {
    this.lastSign = Date.now()
    await payload.heartbeat()
  }

  /** Waits for work while sending heartbeats to the group. */
  private async whileAlive(work: Promise<boolean>, payload: EachBatchPayload): Promise<boolean> {
    const settled = new AbortController()
    const end = () => settled.abort()
    work.then(end, end)
    while (!settled.signal.aborted) {
      await pause(LONGEST_PAUSE, settled.signal)
      if (!settled.signal.aborted) await this.heartbeat(payload)
    }
    return work
  }
}

const isKafkaError = (error: unknown): boolean => error instanceof Error && error.name.startsWith('KafkaJS')

function* chunksOf(messages: readonly ConsumedMessage[], size = DEFAULT_BATCH): Generator<readonly ConsumedMessage[]> {
  for (let from = 0; from < messages.length; from += size) yield messages.slice(from, from + size)
}

/**
 * Offsets after the last message of a batch; null if there are none. For a batch of tombstones they begin at 0, because
 * compaction may have removed the records before it.
 */
function restOf(batch: Batch): EmptyOffsets | null {
  const end = batch.messages.findLast(({ value }) => value !== null)
  const [first, last] = [end ? BigInt(end.offset) + 1n : 0n, BigInt(batch.lastOffset())]
  return first > last ? null : { first, last }
}

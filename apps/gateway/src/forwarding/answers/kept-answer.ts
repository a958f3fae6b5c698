import type { Writable } from 'node:stream'
import { freeAtOnce, freeWithBeginning } from '../../http/connections/free-at-once.js'
import { type Account, type EndedFor, LARGEST_KEPT_ANSWER, type Reader } from './answer-memory.service.js'

/** Shortest chunk that is freed as soon as it has been passed on, bytes: only long answers have such chunks. */
const LONG_CHUNK = 16 * 1024

/** Callbacks of a kept answer. */
export interface KeptAnswerEvents {
  /** Called when the client has read enough for the service to go on. */
  taken: () => void
  /** Called when the answer was dropped because its client reads too slowly. */
  ended: (reason: EndedFor) => void
}

/**
 * One answer that is being sent to its client. Bytes are passed on as they come; bytes that the client's connection
 * does not take are kept and counted, so that the connection to the service is free once the service has sent all.
 */
export class KeptAnswer implements Reader {
  kept = 0
  isPaused = false
  private received = 0
  private queued = 0
  private readonly queue: Buffer[] = []
  private isFull = false
  private done: ((error?: Error | null) => void) | null = null
  private isOver = false

  /**
   * @param sink destination of the answer
   * @param freesChunks whether the memory of a chunk is freed when the sink has written it
   */
  constructor(
    readonly sink: Writable,
    private readonly account: Account,
    private readonly events: KeptAnswerEvents,
    private readonly freesChunks: boolean,
  ) {
    account.memory.open(this)
  }

  get applicationId(): string {
    return this.account.applicationId
  }

  get taken(): number {
    return this.received - this.kept
  }

  /** @returns whether the service may go on; if not, `taken` is called once it may */
  write(chunk: Buffer): boolean {
    if (this.isOver) return true
    this.received += chunk.length
    if (!this.isFull) this.pass(chunk)
    else {
      this.queue.push(chunk)
      this.queued += chunk.length
    }
    // An answer that is read immediately needs no counting.
    if (this.isFull) this.count()
    this.isPaused = this.kept >= LARGEST_KEPT_ANSWER
    return !this.isPaused
  }

  /** @param done called when the whole answer has been passed on */
  finish(done: (error?: Error | null) => void): void {
    this.done = done
    if (this.queue.length === 0) this.passEnd()
  }

  end(reason: EndedFor): void {
    this.close()
    this.events.ended(reason)
  }

  /** Releases the kept bytes; further calls do nothing. */
  close(): void {
    if (this.isOver) return
    this.isOver = true
    const unsent = this.queue.splice(0)
    // The sink may still be writing what comes before an unsent chunk in the same memory.
    if (this.freesChunks) unsent.forEach(freeAtOnce)
    this.settle(0)
    this.account.memory.close(this)
  }

  private passEnd(): void {
    this.sink.end(this.done!)
    this.count()
  }

  private pass(chunk: Buffer): void {
    const written = this.freesChunks && chunk.length >= LONG_CHUNK ? () => freeWithBeginning(chunk) : undefined
    if (this.sink.write(chunk, written)) return
    this.isFull = true
    this.sink.once('drain', () => this.flow())
  }

  private flow(): void {
    if (this.isOver) return
    this.isFull = false
    while (this.queue.length > 0 && !this.isFull) {
      const chunk = this.queue.shift()!
      this.queued -= chunk.length
      this.pass(chunk)
    }
    if (this.queue.length === 0 && this.done) return this.passEnd()
    this.count()
    if (!this.isPaused || this.kept >= LARGEST_KEPT_ANSWER) return
    this.isPaused = false
    this.events.taken()
  }

  private count(): void {
    if (!this.isOver) this.settle(this.queued + this.sink.writableLength)
  }

  private settle(kept: number): void {
    const difference = kept - this.kept
    this.kept = kept
    if (difference !== 0) this.account.memory.change(this, difference)
  }
}

import type { Dispatcher } from 'undici'
import { ANSWER_LIMITS } from './answer-filter.js'
import { retryAfterSeconds } from './retry-after.js'
import { SendFailure } from './send-failure.js'
import { EXCERPT_BYTES, type Outcome } from './sender.js'

/** Time for which an unwanted body is read so that its connection can be reused, ms. */
const DRAIN_LIMIT = 1_000
/** An answer that ended without a head. Created once: a stack trace per attempt costs a tenth of the attempt. */
const NO_ANSWER = new SendFailure('connection_reset')

/** What an answer adds to the outcome. */
export type Answered = Pick<Outcome, 'status' | 'retryAfterSeconds' | 'body'>

/**
 * One request through undici. The head of the answer decides: the status stands even if the body is slow, endless or
 * cut off.
 */
export class AttemptHandler implements Dispatcher.DispatchHandler {
  private readonly settled = Promise.withResolvers<Answered>()
  private head: { status: number; retryAfter: unknown } | undefined
  /** Time of the signature, ms since the epoch; until then the time at which the attempt began. */
  at = Date.now()
  private readonly chunks: Buffer[] = []
  private bytes = 0
  private drain: NodeJS.Timeout | undefined
  private over = false
  /** Whether the answer was read to its end, so that its connection is good for another request. */
  isWhole = false

  constructor(private readonly wantsBody: boolean) {
    // Prevents an unhandled rejection after the sender has gone on.
    this.settled.promise.catch(() => undefined)
  }

  /** @throws SendFailure when there was no answer */
  get answered(): Promise<Answered> {
    return this.settled.promise
  }

  /**
   * Ends the attempt: with the answer if its head has arrived, else with the failure. Later events are ignored. The
   * caller destroys the connection.
   */
  end(failure: SendFailure): void {
    if (this.over) return
    this.over = true
    clearTimeout(this.drain)
    if (!this.head) return this.settled.reject(failure)
    const { status, retryAfter } = this.head
    const body = Buffer.concat(this.chunks)
    this.settled.resolve({ status, retryAfterSeconds: retryAfterSeconds(retryAfter, Date.now()), body })
  }

  // Required: without it undici treats the object as a handler of its older kind.
  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.head = { status, retryAfter: headers['retry-after'] }
    if (!this.wantsBody) this.drain = setTimeout(() => this.end(new SendFailure('timeout')), DRAIN_LIMIT)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.over) return
    const left = (this.wantsBody ? ANSWER_LIMITS.body : EXCERPT_BYTES) - this.bytes
    // A copy: a slice would keep the whole piece in memory.
    if (left > 0) this.chunks.push(Buffer.from(chunk.subarray(0, left)))
    this.bytes += chunk.length
    if (this.bytes > ANSWER_LIMITS.body) this.end(new SendFailure('protocol_error'))
  }

  onResponseEnd(): void {
    this.isWhole = !this.over
    this.end(NO_ANSWER)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(SendFailure.of(error))
  }
}

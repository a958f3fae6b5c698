import type { Dispatcher } from 'undici'
import { SendFailure } from './send-failure.js'

/** Most of an answer that is read, bytes. */
const MAX_ANSWER = 16 * 1024
/** How long an answer that nobody wants is read, so that its connection can be used again, ms. */
const DRAIN_LIMIT = 1_000

/** What came back of a request. */
export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** At most 16 KiB of it, as sent; empty when it was not wanted. */
  body: Buffer
}

/**
 * One request through undici. With the head of the answer it is decided: whatever the body does then, slow, endless or
 * cut off, the status stands.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  private readonly settled = Promise.withResolvers<Reply>()
  private controller: Dispatcher.DispatchController | undefined
  private reply: Reply | undefined
  private readonly chunks: Buffer[] = []
  private bytes = 0
  private drain: NodeJS.Timeout | undefined
  private over = false

  constructor(private readonly wantsBody: boolean) {
    // Nobody may be listening any more when it fails late.
    this.settled.promise.catch(() => undefined)
  }

  /** @throws SendFailure when there was no answer */
  get outcome(): Promise<Reply> {
    return this.settled.promise
  }

  /** Ends it where it is: with the answer if its head has arrived, else with the failure. */
  end(failure: SendFailure): void {
    if (this.over) return
    this.settle(failure)
    this.controller?.abort(failure)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // It was ended while it waited for a connection.
    if (this.over) controller.abort(new SendFailure('aborted'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.reply = { status, headers, body: Buffer.alloc(0) }
    if (!this.wantsBody) this.drain = setTimeout(() => this.end(new SendFailure('timeout')), DRAIN_LIMIT)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.over) return
    this.bytes += chunk.length
    if (this.wantsBody) this.chunks.push(chunk)
    if (this.bytes > MAX_ANSWER) this.end(new SendFailure('protocol_error'))
  }

  onResponseEnd(): void {
    this.settle(new SendFailure('connection_reset'))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.settle(SendFailure.of(error))
  }

  private settle(failure: SendFailure): void {
    if (this.over) return
    this.over = true
    clearTimeout(this.drain)
    if (!this.reply) return this.settled.reject(failure)
    const body = Buffer.concat(this.chunks).subarray(0, MAX_ANSWER)
    this.settled.resolve({ ...this.reply, body })
  }
}

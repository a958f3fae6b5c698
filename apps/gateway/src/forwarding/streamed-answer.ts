import type { IncomingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { AnswerMemory, EndedFor } from './answer-memory.js'
import { KeptAnswer } from './kept-answer.js'

type Controller = Dispatcher.DispatchController

/** Takes the head of an answer and gives the stream for its body. Runs in no request's async context. */
type Begin = (status: number, headers: IncomingHttpHeaders) => Writable

/** Whose memory an answer takes while its client reads. */
export interface Account {
  applicationId: string
  memory: AnswerMemory
}

/** An answer was broken off because its client reads too slowly. */
export class SlowReader extends Error {
  /** @param needed what others needed, or the deadline of the answer */
  constructor(readonly needed: EndedFor | 'deadline') {
    super(`the client reads its answer too slowly (${needed})`)
  }
}

/**
 * The answer to one request, written on as it comes; what its client does not take at once is kept, so that the
 * connection is free when the service has said all. undici's own `stream` does it with a
 * dozen listeners, and with a signal besides it keeps all that belongs to the request until the next major collection.
 */
export class StreamedAnswer implements Dispatcher.DispatchHandler {
  private readonly end = Promise.withResolvers<void>()
  private readonly release = Promise.withResolvers<void>()
  /** Settles once all of the answer has been handed to the system; rejects with what kept it from that. */
  readonly done = this.end.promise
  /** Settles once the request has neither a connection nor a place in the queue for one. */
  readonly released = this.release.promise
  private controller: Controller | null = null
  private kept: KeptAnswer | null = null
  private cancelledFor: Error | null = null

  constructor(
    private readonly begin: Begin,
    private readonly account: Account,
  ) {}

  /** Ends the request wherever it is; without effect once it is over. */
  cancel(reason: Error): void {
    this.cancelledFor = reason
    this.controller?.abort(reason)
    this.settle(reason)
  }

  /** @throws the reason of a request that was cancelled in the queue: to abort it would cost it a connection */
  onRequestStart(controller: Controller): void {
    if (this.cancelledFor) throw this.cancelledFor
    this.controller = controller
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    const { applicationId, memory } = this.account
    this.kept = new KeptAnswer(this.begin(status, headers), applicationId, memory, {
      taken: () => controller.resume(),
      ended: (reason) => this.cancel(new SlowReader(reason)),
    })
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const kept = this.kept!
    if (kept.sink.destroyed) return controller.abort(nobodyReads())
    if (!kept.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.release.resolve()
    const kept = this.kept!
    if (kept.sink.destroyed) return this.settle(nobodyReads())
    kept.finish((error) => this.settle(error))
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.release.resolve()
    this.settle(error)
  }

  private settle(error?: Error | null): void {
    this.kept?.close()
    if (error) this.end.reject(error)
    else this.end.resolve()
  }
}

const nobodyReads = (): Error => new Error('nobody reads the answer any more')

import { type IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Account, EndedFor } from './answer-memory.service.js'
import { KeptAnswer, type KeptAnswerEvents } from './kept-answer.js'

/** Longest time from the request to the end of its answer, ms: 4 MiB through a line of half a megabit a second. */
export const ANSWER_DEADLINE = 70_000

type Controller = Dispatcher.DispatchController

/** Second reader of an answer, beside its client. */
export interface AnswerReader {
  read(chunk: Buffer): void
  /** Called when the whole answer has been read. */
  end(): void
}

/** The party that an answer goes to. Called outside any request's async context. */
export interface AnswerTaker {
  readonly account: Account
  /** Takes the head and returns the stream for the body. */
  begin: (status: number, headers: IncomingHttpHeaders) => Writable
}

/** The cause of an answer aborted because its client reads too slowly. */
export class SlowReader extends Error {
  /** @param needed the resource that others needed, or the deadline of the answer */
  constructor(readonly needed: EndedFor | 'deadline') {
    super(`the client reads its answer too slowly (${needed})`)
  }
}

/**
 * The answer to one request, passed on as it comes; bytes that its client does not read at once are kept, so that the
 * connection is free when the service has sent everything. undici's own `stream` needs a dozen listeners, and with a
 * signal it retains everything of the request until the next major garbage collection.
 */
export class StreamedAnswer implements Dispatcher.DispatchHandler, KeptAnswerEvents {
  /** Second reader, set as the answer begins; null while its client alone reads it. */
  reader: AnswerReader | null = null
  private readonly end = Promise.withResolvers<void>()
  private readonly release = Promise.withResolvers<void>()
  /** Resolves once the whole answer has been handed to the system; rejects with the error that prevented it. */
  readonly done = this.end.promise
  /** Settles once the request has neither a connection nor a place in the queue for one. */
  readonly released = this.release.promise
  private controller: Controller | null = null
  private kept: KeptAnswer | null = null
  private cancelledFor: Error | null = null

  constructor(private readonly taker: AnswerTaker) {}

  /** Cancels the request in any phase; does nothing once it has ended. */
  cancel(reason: Error): void {
    this.cancelledFor = reason
    this.controller?.abort(reason)
    this.settle(reason)
  }

  /** @throws the reason of a request that was cancelled in the queue: aborting it would cost a connection */
  onRequestStart(controller: Controller): void {
    if (this.cancelledFor) throw this.cancelledFor
    this.controller = controller
  }

  onResponseStart(_controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    const sink = this.taker.begin(status, headers)
    // Other sinks and second readers keep chunks.
    const freesChunks = sink instanceof ServerResponse && this.reader === null
    this.kept = new KeptAnswer(sink, this.taker.account, this, freesChunks)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const kept = this.kept!
    if (kept.sink.destroyed) return controller.abort(unreadAnswer())
    this.reader?.read(chunk)
    if (!kept.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    this.release.resolve()
    this.reader?.end()
    const kept = this.kept!
    if (kept.sink.destroyed) return this.settle(unreadAnswer())
    kept.finish((error) => this.settle(error))
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.release.resolve()
    this.settle(error)
  }

  taken(): void {
    this.controller!.resume()
  }

  ended(reason: EndedFor): void {
    this.cancel(new SlowReader(reason))
  }

  private settle(error?: Error | null): void {
    this.kept?.close()
    if (error) this.end.reject(error)
    else this.end.resolve()
  }
}

const unreadAnswer = (): Error => new Error('the client no longer reads the answer')

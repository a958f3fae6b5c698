import type { IncomingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { AnswerMemory, EndedFor } from './answer-memory.service.js'
import { KeptAnswer } from './kept-answer.js'

/** Longest time from the request to the end of its answer, ms: 4 MiB through a line of half a megabit a second. */
export const ANSWER_DEADLINE = 70_000

type Controller = Dispatcher.DispatchController

/** Takes the head of an answer and returns the stream for its body. Runs outside any request's async context. */
type Begin = (status: number, headers: IncomingHttpHeaders) => Writable

/** The application and the memory that an answer counts against while its client reads. */
export interface Account {
  applicationId: string
  memory: AnswerMemory
}

/** Second reader of an answer, beside its client. */
export interface AnswerReader {
  read(chunk: Buffer): void
  /** Called when the whole answer has been read. */
  end(): void
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
export class StreamedAnswer implements Dispatcher.DispatchHandler {
  private readonly end = Promise.withResolvers<void>()
  private readonly release = Promise.withResolvers<void>()
  /** Resolves once the whole answer has been handed to the system; rejects with the error that prevented it. */
  readonly done = this.end.promise
  /** Settles once the request has neither a connection nor a place in the queue for one. */
  readonly released = this.release.promise
  private controller: Controller | null = null
  private kept: KeptAnswer | null = null
  private reader: AnswerReader | null = null
  private cancelledFor: Error | null = null

  constructor(
    private readonly begin: Begin,
    private readonly account: Account,
    private readonly readerOf: (status: number) => AnswerReader | null = () => null,
  ) {}

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

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    const { applicationId, memory } = this.account
    this.reader = this.readerOf(status)
    this.kept = new KeptAnswer(this.begin(status, headers), applicationId, memory, {
      taken: () => controller.resume(),
      ended: (reason) => this.cancel(new SlowReader(reason)),
    })
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

  private settle(error?: Error | null): void {
    this.kept?.close()
    if (error) this.end.reject(error)
    else this.end.resolve()
  }
}

const unreadAnswer = (): Error => new Error('the client no longer reads the answer')

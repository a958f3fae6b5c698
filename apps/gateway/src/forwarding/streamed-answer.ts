import type { IncomingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import type { Dispatcher } from 'undici'

type Controller = Dispatcher.DispatchController

/** Takes the head of an answer and gives the stream for its body. Runs in no request's async context. */
type Begin = (status: number, headers: IncomingHttpHeaders) => Writable

/**
 * The answer to one request, written on as it comes and no faster than it is read. undici's own `stream` does it with a
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
  private sink: Writable | null = null
  private cancelledFor: Error | null = null

  constructor(private readonly begin: Begin) {}

  /** Ends the request wherever it is; without effect once it is over. */
  cancel(reason: Error): void {
    this.cancelledFor = reason
    this.controller?.abort(reason)
    this.end.reject(reason)
  }

  /** @throws the reason of a request that was cancelled in the queue: to abort it would cost it a connection */
  onRequestStart(controller: Controller): void {
    if (this.cancelledFor) throw this.cancelledFor
    this.controller = controller
  }

  onResponseStart(_controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.sink = this.begin(status, headers)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const sink = this.sink!
    if (sink.destroyed) return controller.abort(nobodyReads())
    if (sink.write(chunk)) return
    controller.pause()
    sink.once('drain', () => controller.resume())
  }

  onResponseEnd(): void {
    this.release.resolve()
    const sink = this.sink!
    if (sink.destroyed) return this.end.reject(nobodyReads())
    sink.end((error?: Error | null) => (error ? this.end.reject(error) : this.end.resolve()))
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.release.resolve()
    this.end.reject(error)
  }
}

const nobodyReads = (): Error => new Error('nobody reads the answer any more')

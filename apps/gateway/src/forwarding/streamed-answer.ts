import type { IncomingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import type { Dispatcher } from 'undici'

type Controller = Dispatcher.DispatchController

/** Takes the head of an answer and gives the stream for its body. */
type Begin = (status: number, headers: IncomingHttpHeaders) => Writable

/**
 * The answer to one request, written on as it comes and no faster than it is read. undici's own `stream` does it with a
 * dozen listeners, and with a signal besides it keeps all that belongs to the request until the next major collection.
 */
export class StreamedAnswer implements Dispatcher.DispatchHandler {
  /** Settles once all of the answer has been handed to the system; rejects with what kept it from that. */
  readonly done: Promise<void>
  private readonly settle: Pick<PromiseWithResolvers<void>, 'resolve' | 'reject'>
  private controller: Controller | null = null
  private sink: Writable | null = null
  private cancelledFor: Error | null = null

  constructor(private readonly begin: Begin) {
    const { promise, ...settle } = Promise.withResolvers<void>()
    this.done = promise
    this.settle = settle
  }

  /** Ends the request wherever it is; without effect once it is over. */
  cancel(reason: Error): void {
    this.cancelledFor = reason
    this.controller?.abort(reason)
    this.settle.reject(reason)
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller
    if (this.cancelledFor) controller.abort(this.cancelledFor)
  }

  onResponseStart(_controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.sink = this.begin(status, headers)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const sink = this.sink!
    if (sink.destroyed) return controller.abort(new Error('nobody reads the answer any more'))
    if (sink.write(chunk)) return
    controller.pause()
    sink.once('drain', () => controller.resume())
  }

  onResponseEnd(): void {
    this.sink!.end(() => this.settle.resolve())
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.settle.reject(error)
  }
}

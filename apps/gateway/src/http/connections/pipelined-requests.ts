import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gatherChunks } from './gathered-chunks.js'
import { closeAfterAnswer, hasLastAnswer, isClosing, markClosing } from './lingering-close.js'
import { stopParsing } from './parser-stop.js'

/** Requests of one connection that are handled at once. */
export const MAX_IN_FLIGHT = 8
/**
 * Requests of one connection that may wait for their turn. Node parses a whole read of 64 KiB before reading can be
 * paused: at most 500 requests with credentials. Only requests without credentials are shorter.
 */
export const MAX_WAITING = 512
/** The same of all connections together; beyond it a connection ends behind those that it has in flight. */
const MOST_WAITING = 2_048

type Exchange = [IncomingMessage, ServerResponse]

let waitingInAll = 0

/** The requests of one connection. */
class Pipeline {
  private readonly waiting: Exchange[] = []
  private inFlight = 0
  /** No further request is accepted behind the waiting ones. */
  private isFull = false
  private ignoresRequests = false

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
  ) {
    // Must run before and after Node's own listener, which destroys the requests that have no answer.
    let traces = Error.stackTraceLimit
    socket.prependListener('close', () => {
      this.drop()
      traces = Error.stackTraceLimit
      if (this.ignoresRequests) Error.stackTraceLimit = 0
    })
    socket.on('close', () => (Error.stackTraceLimit = traces))
  }

  /** Handles a request now or, if too many are in flight, later. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (isClosing(this.socket)) {
      stopParsing(this.socket)
      return this.ignore(request)
    }
    if (this.inFlight < MAX_IN_FLIGHT && this.waiting.length === 0) return this.work([request, response])
    this.waiting.push([request, response])
    waitingInAll += 1
    this.socket.pause()
    if (this.waiting.length >= MAX_WAITING || waitingInAll > MOST_WAITING) this.isFull = markClosing(this.socket)
  }

  /** Resumes reading unless requests are waiting. */
  resume(): void {
    if (this.waiting.length === 0) this.socket.resume()
  }

  private work([request, response]: Exchange): void {
    this.inFlight += 1
    response.on('close', () => {
      this.inFlight -= 1
      this.next()
    })
    this.handle(request, response)
  }

  private next(): void {
    if (hasLastAnswer(this.socket)) this.drop()
    const exchange = this.waiting.shift()
    if (!exchange) return
    waitingInAll -= 1
    if (this.waiting.length === 0 && this.isFull) closeAfterAnswer(...exchange)
    // The body of the last request may not have arrived yet.
    this.resume()
    this.work(exchange)
  }

  private drop(): void {
    waitingInAll -= this.waiting.length
    for (const [request] of this.waiting.splice(0)) this.ignore(request)
  }

  /**
   * Marks a request that gets no answer as destroyed, so that no error is emitted on it. When the connection closes,
   * Node makes two errors for each such request all the same. One read holds thousands of short requests, and a stack
   * trace costs 10 µs and more, so those errors get none.
   */
  private ignore(request: IncomingMessage): void {
    request.destroyed = true
    this.ignoresRequests = true
  }
}

const pipelines = new WeakMap<Socket, Pipeline>()

/** Resumes reading a connection that was paused for a body, unless requests are waiting on it. */
export const resumeReading = (socket: Socket): void => pipelines.get(socket)?.resume()

/**
 * Limits the requests of one connection that are handled at once: further requests wait for their turn, and reading is
 * paused meanwhile. Requests behind the connection's last answer are dropped.
 */
export function limitPipelining(server: Server): void {
  const handlers = server.listeners('request') as RequestListener[]
  const handle: RequestListener = (request, response) => handlers.forEach((handler) => handler(request, response))
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    gatherChunks(request)
    const { socket } = request
    let pipeline = pipelines.get(socket)
    if (!pipeline) pipelines.set(socket, (pipeline = new Pipeline(socket, handle)))
    pipeline.take(request, response)
  })
}

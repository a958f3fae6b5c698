import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeAfterAnswer, hasLastAnswer, isClosing, markClosing } from './lingering-close.js'

/** Requests of one connection that are worked on at once. */
export const MAX_IN_FLIGHT = 8
/**
 * Requests of one connection that wait for their turn. Node parses everything that one read of 64 KiB brings, before
 * reading can be paused: at most 500 requests that carry credentials. Only requests without any are shorter.
 */
export const MAX_WAITING = 512

type Exchange = [IncomingMessage, ServerResponse]

/** The requests of one connection. */
class Pipeline {
  private readonly waiting: Exchange[] = []
  private inFlight = 0
  /** Nothing behind what waits is taken any more. */
  private isFull = false

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
  ) {}

  /** Works on a request now or, if too many are in flight, later. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (isClosing(this.socket)) return
    if (this.inFlight < MAX_IN_FLIGHT && this.waiting.length === 0) return this.work([request, response])
    this.waiting.push([request, response])
    this.socket.pause()
    if (this.waiting.length >= MAX_WAITING) this.isFull = markClosing(this.socket)
  }

  /** Goes on reading, unless enough has been read. */
  resume(): void {
    if (this.waiting.length === 0) this.socket.resume()
  }

  private work([request, response]: Exchange): void {
    this.inFlight += 1
    response.once('close', () => {
      this.inFlight -= 1
      this.next()
    })
    this.handle(request, response)
  }

  private next(): void {
    if (hasLastAnswer(this.socket)) this.waiting.length = 0
    const exchange = this.waiting.shift()
    if (!exchange) return
    if (this.waiting.length === 0 && this.isFull) closeAfterAnswer(...exchange)
    // The body of the last one may still be on its way.
    this.resume()
    this.work(exchange)
  }
}

const pipelines = new WeakMap<Socket, Pipeline>()

/** Goes on reading a connection that was paused for a body, unless its requests are enough to go on with. */
export const resumeReading = (socket: Socket): void => pipelines.get(socket)?.resume()

/**
 * Bounds what one connection can make a server do at once: further requests on it wait for their turn, and reading is
 * paused meanwhile. Requests behind the connection's last answer are dropped.
 */
export function limitPipelining(server: Server): void {
  const handlers = server.listeners('request') as RequestListener[]
  const handle: RequestListener = (request, response) => handlers.forEach((handler) => handler(request, response))
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const { socket } = request
    let pipeline = pipelines.get(socket)
    if (!pipeline) pipelines.set(socket, (pipeline = new Pipeline(socket, handle)))
    pipeline.take(request, response)
  })
}

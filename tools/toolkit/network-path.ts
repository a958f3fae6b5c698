// A TCP path on loopback that misbehaves on demand: it stalls, delays, resets or refuses connections.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'

/** Resets a connection. One that is being shut down is destroyed: Node never closes a socket that it resets then. */
function reset(socket: Socket): void {
  const isShuttingDown = socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished
  if (isShuttingDown) socket.destroy()
  else socket.resetAndDestroy()
}

/** Bytes on their way, or the end of the stream. */
interface Held {
  bytes: Buffer | null
  /** Time at which they leave, ms. */
  due: number
}

/** One direction of a connection: bytes leave in the order they came, even when delayed. */
class Direction {
  readonly #path: NetworkPath
  readonly #from: Socket
  readonly #to: Socket
  readonly #held: Held[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(path: NetworkPath, from: Socket, to: Socket) {
    this.#path = path
    this.#from = from
    this.#to = to
    from.on('data', (bytes: Buffer) => this.#take(bytes))
    from.on('end', () => this.#take(null))
  }

  /** Forwards the bytes that are due. */
  flush(): void {
    clearTimeout(this.#timer)
    for (let next = this.#held[0]; next && !this.#path.isStalled; next = this.#held[0]) {
      const wait = next.due - performance.now()
      if (wait > 0) return void (this.#timer = setTimeout(() => this.flush(), wait))
      this.#held.shift()
      this.#write(next.bytes)
    }
  }

  #take(bytes: Buffer | null): void {
    const latest = this.#held.at(-1)?.due ?? 0
    this.#held.push({ bytes, due: Math.max(latest, performance.now() + this.#path.delay) })
    this.flush()
  }

  #write(bytes: Buffer | null): void {
    if (bytes === null) return void this.#to.end()
    if (this.#to.destroyed || this.#to.write(bytes)) return
    this.#from.pause()
    this.#to.once('drain', () => this.#from.resume())
  }
}

/** One connection through the path. */
interface Pair {
  sockets: Socket[]
  directions: Direction[]
}

/** Forwards from its own port to the port that `target()` gives at the moment of each connection. */
export class NetworkPath {
  isStalled = false
  /** Delay in one direction, ms. */
  delay = 0
  #isOpen = true
  #target: () => number | undefined
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#lead(socket))
  readonly #pairs = new Set<Pair>()

  /** @param target a port of this machine; undefined: no process listens */
  constructor(target: () => number | undefined) {
    this.#target = target
  }

  /**
   * Opens a path in front of an address of this machine.
   * @returns the path, and the address to use instead
   */
  static async before(address: string): Promise<{ path: NetworkPath; url: string }> {
    const url = new URL(address)
    const port = Number(url.port)
    const path = await new NetworkPath(() => port).open()
    url.host = `127.0.0.1:${path.port}`
    return { path, url: url.href }
  }

  /** Opens the path on a free port. */
  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Leads new connections to another port; open ones stay. */
  redirect(port: number): void {
    this.#target = () => port
  }

  /** Stops bytes in both directions; connections are accepted but get no data. */
  stall(): void {
    this.isStalled = true
  }

  /** Resets every open connection. */
  reset(): void {
    for (const { sockets } of this.#pairs) for (const socket of sockets) reset(socket)
  }

  /** Resets every connection and accepts no others. */
  cut(): void {
    this.#isOpen = false
    this.reset()
  }

  /** Restores normal service. */
  restore(): void {
    this.isStalled = false
    this.delay = 0
    this.#isOpen = true
    for (const { directions } of this.#pairs) for (const direction of directions) direction.flush()
  }

  /** Stops listening and cuts all connections. */
  close(): void {
    this.#server.close()
    this.reset()
  }

  #lead(inside: Socket): void {
    const port = this.#isOpen ? this.#target() : undefined
    inside.on('error', () => {})
    if (port === undefined) return void reset(inside)
    const outside = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    outside.on('error', () => reset(inside))
    const directions = [new Direction(this, inside, outside), new Direction(this, outside, inside)]
    const pair: Pair = { sockets: [inside, outside], directions }
    this.#pairs.add(pair)
    inside.on('close', () => void (outside.destroy(), this.#pairs.delete(pair)))
    outside.on('close', (failed) => failed && reset(inside))
  }
}

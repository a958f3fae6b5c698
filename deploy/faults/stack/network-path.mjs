// A TCP path that misbehaves on demand: it stalls, delays, resets, or refuses connections. Loopback only.
import { connect, createServer } from 'node:net'
import { once } from 'node:events'

/** One direction of a connection: bytes leave in the order they came, even when delayed. */
class Direction {
  #path
  #from
  #to
  #held = []
  #timer

  constructor(path, from, to) {
    this.#path = path
    this.#from = from
    this.#to = to
    from.on('data', (bytes) => this.#take(bytes))
    from.on('end', () => this.#take(null))
  }

  /** Forwards the bytes that are due. */
  flush() {
    clearTimeout(this.#timer)
    while (this.#held.length > 0 && !this.#path.isStalled) {
      const wait = this.#held[0].due - performance.now()
      if (wait > 0) return void (this.#timer = setTimeout(() => this.flush(), wait))
      this.#write(this.#held.shift().bytes)
    }
  }

  #take(bytes) {
    const latest = this.#held.at(-1)?.due ?? 0
    this.#held.push({ bytes, due: Math.max(latest, performance.now() + this.#path.delay) })
    this.flush()
  }

  #write(bytes) {
    if (bytes === null) return void this.#to.end()
    if (this.#to.destroyed || this.#to.write(bytes)) return
    this.#from.pause()
    this.#to.once('drain', () => this.#from.resume())
  }
}

/** Forwards from its own port to the port that `target()` gives at the moment of each connection. */
export class NetworkPath {
  isStalled = false
  /** Delay in one direction, ms. */
  delay = 0
  #isOpen = true
  #target
  #server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#lead(socket))
  #pairs = new Set()

  /** @param {() => number | undefined} target a port of this machine; undefined: no process listens */
  constructor(target) {
    this.#target = target
  }

  /** @param {{ port: number, release: () => Promise<void> }} [held] the port to listen on; a free one without it */
  async open(held) {
    await held?.release()
    this.#server.listen(held?.port ?? 0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get port() {
    return this.#server.address().port
  }

  /** Stops bytes in both directions; connections are accepted but get no data. */
  stall() {
    this.isStalled = true
  }

  /** Resets every open connection. */
  reset() {
    for (const { sockets } of this.#pairs) for (const socket of sockets) socket.resetAndDestroy()
  }

  /** Resets every connection and accepts no others. */
  cut() {
    this.#isOpen = false
    this.reset()
  }

  /** Restores normal service. */
  mend() {
    this.isStalled = false
    this.delay = 0
    this.#isOpen = true
    for (const { directions } of this.#pairs) for (const direction of directions) direction.flush()
  }

  close() {
    this.#server.close()
    this.reset()
  }

  #lead(inside) {
    const port = this.#isOpen ? this.#target() : undefined
    inside.on('error', () => {})
    if (port === undefined) return void inside.resetAndDestroy()
    const outside = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    outside.on('error', () => inside.resetAndDestroy())
    const directions = [new Direction(this, inside, outside), new Direction(this, outside, inside)]
    const pair = { sockets: [inside, outside], directions }
    this.#pairs.add(pair)
    inside.on('close', () => void (outside.destroy(), this.#pairs.delete(pair)))
    outside.on('close', (failed) => failed && inside.resetAndDestroy())
  }
}

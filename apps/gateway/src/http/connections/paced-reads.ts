import type { Socket } from 'node:net'

/** Length of a round, ms. */
const ROUND = 10
/** Most bytes that Node reads from a connection at once. */
const READ = 64 * 1024
/** Most bytes of a round: 52 MB/s, so that a single long body hardly waits. */
const MOST_PER_ROUND = 512 * 1024

/** The part of Node's internal socket handle that controls reading. */
interface Handle {
  reading: boolean
  readStart: () => void
  readStop: () => void
}

const handleOf = (socket: Socket): Handle | null => (socket as { _handle?: Handle | null })._handle ?? null

/** @returns whether the connection is still open */
function stopReading(socket: Socket): boolean {
  const handle = handleOf(socket)
  if (!handle) return false
  handle.reading = false
  handle.readStop()
  return true
}

/** Starts reading again. A socket that is paused for another reason starts when it is resumed. */
export function startReading(socket: Socket): void {
  const handle = handleOf(socket)
  if (!handle || socket.isPaused()) return
  handle.reading = true
  handle.readStart()
}

/**
 * Bounds the bytes that are read of many connections in a round; those beyond wait for later rounds, in turn. Without
 * it, a turn of the event loop reads 64 KiB and more of every connection, and a request that needs four turns waits for
 * hundreds of such reads each time.
 *
 * Reading stops at the socket's handle. Pausing a stream does not work: a paused stream fills a buffer first, a request
 * that wants data resumes its socket, and a socket whose parser was detached while a body waited does not start again.
 */
export class PacedReads {
  /** Bytes of this round: those read, and those granted to connections whose turn it is. */
  private read = 0
  /** Connections whose turn it is, and that have not been read yet. */
  private readonly granted = new Set<Socket>()
  private readonly waiting = new Set<Socket>()
  private rounds: NodeJS.Timeout | undefined

  /** @param mostPerRound bytes */
  constructor(private readonly mostPerRound = MOST_PER_ROUND) {}

  /** Counts bytes that were read of a connection, which waits for its turn when the round is full. */
  count(socket: Socket, bytes: number): void {
    this.read += bytes - (this.granted.delete(socket) ? READ : 0)
    if (this.read >= this.mostPerRound) this.wait(socket)
    else this.begin()
  }

  /** Stops reading from a connection until its turn comes. */
  wait(socket: Socket): void {
    if (!stopReading(socket)) return
    this.waiting.add(socket)
    this.begin()
  }

  /** Stops reading from a connection until `startReading`. */
  stop(socket: Socket): void {
    this.waiting.delete(socket)
    stopReading(socket)
  }

  /** Goes on reading from a connection that waits for its turn. */
  release(socket: Socket): void {
    if (this.waiting.delete(socket)) startReading(socket)
  }

  private begin(): void {
    this.rounds ??= setInterval(() => this.next(), ROUND).unref()
  }

  private next(): void {
    const isIdle = this.read === 0 && this.waiting.size === 0
    this.read = 0
    this.granted.clear()
    if (isIdle) {
      clearInterval(this.rounds)
      this.rounds = undefined
    }
    for (const socket of this.waiting) {
      if (this.read >= this.mostPerRound) return
      this.waiting.delete(socket)
      if (socket.destroyed) continue
      this.read += READ
      this.granted.add(socket)
      startReading(socket)
    }
  }
}

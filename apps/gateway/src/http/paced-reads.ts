import type { IncomingMessage } from 'node:http'

/** Length of a round, ms. */
const ROUND = 10
/** Bytes that Node reads from a connection at once. */
const READ = 64 * 1024

/**
 * Bounds the bytes of long bodies that are read in a round; the requests beyond continue in later rounds, in turn. Without
 * it, a turn of the event loop reads and hashes 64 KiB of every connection, and a request that needs four turns waits for
 * hundreds of such reads each time.
 */
export class PacedReads {
  /** Bytes read in this round. */
  private read = 0
  private readonly waiting = new Set<IncomingMessage>()
  private rounds: NodeJS.Timeout | undefined

  /** @param mostPerRound bytes in 10 ms */
  constructor(private readonly mostPerRound: number) {}

  /** Counts bytes that were read of a request's body, and pauses the request if they are too many for this round. */
  count(request: IncomingMessage, bytes: number): void {
    this.read += bytes
    this.rounds ??= setInterval(() => this.begin(), ROUND).unref()
    if (this.read <= this.mostPerRound) return
    request.pause()
    this.waiting.add(request)
  }

  /** Forgets a request that is not to be read any more. */
  forget(request: IncomingMessage): void {
    this.waiting.delete(request)
  }

  private begin(): void {
    if (this.read === 0 && this.waiting.size === 0) {
      clearInterval(this.rounds)
      this.rounds = undefined
      return
    }
    this.read = 0
    let left = this.mostPerRound
    for (const request of this.waiting) {
      if (left <= 0) return
      left -= READ
      this.waiting.delete(request)
      request.resume()
    }
  }
}

import type { Socket } from 'node:net'

/**
 * Interval between reads of lingering connections, ms, and reads per interval: 64 KiB each, so at most 52 MB/s of all
 * together are discarded. Without this bound, 2,000 refused clients would block all others for seconds.
 */
const ROUND = 10
const READS_PER_ROUND = 8

/** The part of Node's internal socket handle that controls reading. */
interface Handle {
  reading: boolean
  readStart: () => void
  readStop: () => void
}

const handleOf = (socket: Socket): Handle | null => (socket as { _handle?: Handle | null })._handle ?? null

/** Connections that wait for their turn to be read from. */
const waiting = new Set<Socket>()
let rounds: NodeJS.Timeout | undefined

/**
 * Stops reading from a connection until its turn comes, for one read. Pausing the stream does not work: a paused stream
 * fills a buffer first, and one whose parser was detached while a body waited does not start reading again.
 */
export function readInTurn(socket: Socket): void {
  const handle = handleOf(socket)
  if (!handle) return
  handle.reading = false
  handle.readStop()
  waiting.add(socket)
  rounds ??= setInterval(readSome, ROUND).unref()
}

function readSome(): void {
  let reads = 0
  for (const socket of waiting) {
    waiting.delete(socket)
    const handle = handleOf(socket)
    if (!handle) continue
    handle.reading = true
    handle.readStart()
    if (++reads === READS_PER_ROUND) return
  }
  clearInterval(rounds)
  rounds = undefined
}

import type { Socket } from 'node:net'

/**
 * How often connections that linger are read from, ms, and how many of them each time: 64 KiB each, so at most 52 MB/s
 * of all of them together are thrown away. Without a bound, 2,000 refused clients hold up everybody for seconds.
 */
const ROUND = 10
const READS_PER_ROUND = 8

/** What Node reads a socket through. */
interface Handle {
  reading: boolean
  readStart: () => void
  readStop: () => void
}

const handleOf = (socket: Socket): Handle | null => (socket as { _handle?: Handle | null })._handle ?? null

/** Connections whose turn to be read from has yet to come. */
const waiting = new Set<Socket>()
let rounds: NodeJS.Timeout | undefined

/**
 * Stops reading from a connection until its turn comes, for one read. Streams do not serve here: a paused one fills a
 * buffer first, and one whose parser has been cut off while a body waited does not start reading again.
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

/** Frees the memory of a chunk that is thrown away; the garbage collector would let 64 MiB of them gather first. */
export function freeAtOnce({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

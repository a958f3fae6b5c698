import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { freeAtOnce } from './free-at-once.js'
import { PacedReads } from './paced-reads.js'

/** Longest time for which data of a closed connection is read, ms, and the most of it, bytes. */
const MAX_LINGER = 10_000
const MAX_LINGER_BYTES = 32 * 1024 * 1024
/** Reads of all closed connections: without turns, 2,000 refused clients would block all others for seconds. */
const reads = new PacedReads()

/** Connections that accept no further request. */
const closing = new WeakSet<Socket>()
/** Connections whose last answer is being written; requests behind it get no answer. */
const lastAnswered = new WeakSet<Socket>()

/** Whether a connection is ending and accepts no further request. */
export const isClosing = (socket: Socket): boolean => closing.has(socket)

/** Whether the last answer of a connection is being written, so that requests behind it get no answer. */
export const hasLastAnswer = (socket: Socket): boolean => lastAnswered.has(socket)

/**
 * Marks the connection as ending; requests that arrived before still get their answers.
 * @returns false when it was already marked
 */
export function markClosing(socket: Socket): boolean {
  if (closing.has(socket)) return false
  closing.add(socket)
  return true
}

/**
 * Ends a connection on which the client may still be sending (RFC 9112 §9.6): our side is closed after the last answer,
 * and further data is discarded for a while. Closing at once would reset the connection, and the reset overtakes the
 * answer.
 */
export function closeLingering(socket: Socket): void {
  markClosing(socket)
  socket.end()
  // Detach the parser, so that no further request on this connection is handled.
  socket.removeAllListeners('data')
  // Without its parser, the stream starts reading again after each chunk; from here on only its turns do.
  socket._read = () => undefined
  let left = MAX_LINGER_BYTES
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length
    freeAtOnce(chunk)
    if (left < 0) return socket.destroy()
    reads.wait(socket)
  })
  socket.resume()
  reads.wait(socket)
  const timer = setTimeout(() => socket.destroy(), MAX_LINGER)
  socket.once('close', () => clearTimeout(timer))
}

/** Makes this answer the connection's last, although the client may still be sending. */
export function closeAfterAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
  markClosing(socket)
  lastAnswered.add(socket)
  response.setHeader('connection', 'close')
  // Node calls this once it has sent the last answer of a connection.
  socket.destroySoon = () => closeLingering(socket)
}

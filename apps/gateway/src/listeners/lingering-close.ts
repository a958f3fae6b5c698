import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a client that is still sending is listened to, ms, and how much of it, bytes. */
const MAX_LINGER = 10_000
const MAX_LINGER_BYTES = 32 * 1024 * 1024

/** Connections whose last answer is on its way. */
const closing = new WeakSet<Socket>()

/** Whether the last answer of a connection is on its way. */
export const isClosing = (socket: Socket): boolean => closing.has(socket)

/**
 * Notes that the connection ends; nothing more may be answered on it.
 * @returns false when that was noted before
 */
export function markClosing(socket: Socket): boolean {
  if (closing.has(socket)) return false
  closing.add(socket)
  return true
}

/**
 * Ends a connection on which the client may still be sending (RFC 9112 §9.6): our side is closed after the last answer,
 * and what still arrives is thrown away for a while. Closing at once would reset the connection, and the reset
 * overtakes the answer.
 */
export function closeLingering(socket: Socket): void {
  markClosing(socket)
  socket.end()
  // The parser is cut off, so that no further request on this connection is worked on.
  socket.removeAllListeners('data')
  let left = MAX_LINGER_BYTES
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) socket.destroy()
  })
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), MAX_LINGER)
  socket.once('close', () => clearTimeout(timer))
}

/** Has the connection closed after this answer although not all of the request has been read. */
export function closeAfterAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
  markClosing(socket)
  response.setHeader('connection', 'close')
  // Node calls this once it has sent the last answer of a connection.
  socket.destroySoon = () => closeLingering(socket)
}

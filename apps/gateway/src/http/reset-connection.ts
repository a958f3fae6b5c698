import type { Socket } from 'node:net'

/**
 * Resets a connection, which also drops the bytes in the system's buffers. A connection that is just being shut down is
 * destroyed instead: Node would answer `reset EINVAL` and never close it.
 */
export function resetConnection(socket: Socket): void {
  const isShuttingDown = socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished
  if (isShuttingDown) socket.destroy()
  else socket.resetAndDestroy()
}

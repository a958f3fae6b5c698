import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/**
 * Resets a connection, which also drops the bytes in the system's buffers. Node cannot reset a connection with TLS, and
 * it never closes one that is reset while it is being shut down (`reset EINVAL`): both are destroyed instead.
 */
export function resetConnection(socket: Socket): void {
  const isShuttingDown = socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished
  if (isShuttingDown || socket instanceof TLSSocket) socket.destroy()
  else socket.resetAndDestroy()
}

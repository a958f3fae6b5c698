import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Follows connections on which no request has begun. Load balancers open them in advance, and Node.js does not count
 * them as idle, so a stop would wait for them until its limit.
 * @returns a function that ends those that have not sent a byte, or, over TLS, nothing but the handshake
 */
export function followUnusedConnections(server: Server): () => void {
  const unused = new Set<Socket>()
  const follow = (socket: Socket): void => {
    unused.add(socket)
    socket.on('close', () => unused.delete(socket))
  }
  server.on('connection', follow)
  server.on('secureConnection', follow)
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket))
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
  }
}

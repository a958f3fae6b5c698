import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Follows connections on which no request has begun. Load balancers open them in advance, and Node.js does not count
 * them as idle, so a stop would wait for them until its limit.
 * @returns a function that ends those that have not sent a byte
 */
export function followUnusedConnections(server: Server): () => void {
  const unused = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket))
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
  }
}

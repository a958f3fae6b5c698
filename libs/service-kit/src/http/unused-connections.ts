import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { BackgroundLoop } from '../work/background-loop.js'

/** Interval at which a stopping server looks for idle connections, ms. */
const IDLE_CHECK = 50

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

/**
 * Follows the connections of a server from its beginning. A connection whose last answer is sent while the server
 * closes would be kept for another request.
 * @returns a loop to be started when the server stops: it closes idle and unused connections
 */
export function idleCloser(server: Server): BackgroundLoop {
  const endUnused = followUnusedConnections(server)
  return BackgroundLoop.every(IDLE_CHECK, async () => {
    server.closeIdleConnections()
    endUnused()
  })
}

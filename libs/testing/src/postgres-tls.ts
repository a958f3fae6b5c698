import { connect, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Certificate } from './certificates.js'

/** Answers a client's SSLRequest (8 bytes) as PostgreSQL does. */
function terminate(client: Socket, tls: Certificate, { hostname, port }: URL): void {
  client.on('error', () => undefined)
  client.once('data', () => {
    client.write('S')
    const secured = new TLSSocket(client, { isServer: true, ...tls })
    const server = connect(Number(port), hostname)
    for (const socket of [secured, server]) socket.on('error', () => secured.destroy())
    secured.on('close', () => server.destroy())
    secured.pipe(server).pipe(secured)
  })
}

/** A server with TLS in front of a PostgreSQL that was built without. @param to URL of the PostgreSQL */
export const postgresTls = (tls: Certificate, to: URL): Server => createServer((client) => terminate(client, tls, to))

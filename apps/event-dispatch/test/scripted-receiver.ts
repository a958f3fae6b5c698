import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import type { Certificate } from '@connectivity/testing/certificates'

/** A request as received over the wire. */
export interface ReceivedRequest {
  method: string
  path: string
  /** Names in lower case. */
  headers: Record<string, string>
  body: Buffer
  /** ms since the epoch. */
  at: number
}

/** Handles a request after it has been read; may write anything, or nothing. */
export type Script = (socket: Socket, request: ReceivedRequest) => void

/** Writes a whole answer and leaves the connection open. */
export function answer(status: number, body: string | Buffer = '', headers: Record<string, string> = {}): Script {
  const all = { 'content-length': String(Buffer.byteLength(body)), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return (socket) => {
    socket.write(`HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`)
    socket.write(body)
  }
}

/** A correct receiver: it accepts everything and answers challenges. */
export const good: Script = (socket, request) => {
  const { challenge } = JSON.parse(request.body.toString())
  answer(200, JSON.stringify({ challenge }), { 'content-type': 'application/json' })(socket, request)
}

/**
 * Returns the event of a request, verified with a standard library.
 * @throws Error if its signature is invalid
 */
export const verified = (secret: string, { body, headers }: ReceivedRequest): unknown =>
  new Webhook(secret).verify(body, headers)

/** A partner's receiver that speaks HTTP by hand, so that it can break off, drip or lie at any point. */
export class ScriptedReceiver {
  readonly requests: ReceivedRequest[] = []
  /** Connections ever accepted; with TLS only those with a completed handshake. */
  connections = 0
  readonly serverNames: (string | false | null)[] = []
  private readonly sockets = new Set<Socket>()
  private server: Server | undefined
  private port = 0

  /** @param certificate turns https on */
  constructor(
    public script: Script = answer(204),
    private readonly certificate?: Certificate,
  ) {}

  async start(host = '127.0.0.1'): Promise<this> {
    this.server = this.certificate
      ? createTlsServer(this.certificate, (socket) => {
          this.serverNames.push((socket as TLSSocket & { servername: string | false }).servername)
          this.accept(socket)
        })
      : createServer((socket) => this.accept(socket))
    this.server.listen(0, host)
    await once(this.server, 'listening')
    this.port = (this.server.address() as { port: number }).port
    return this
  }

  /** @param host a name or address that leads here */
  url(host = '127.0.0.1', path = '/hook'): string {
    return `${this.certificate ? 'https' : 'http'}://${host}:${this.port}${path}`
  }

  /** Connections that are open now. */
  get open(): number {
    return this.sockets.size
  }

  stop(): void {
    this.server?.close()
    for (const socket of this.sockets) socket.destroy()
  }

  private accept(socket: Socket): void {
    this.connections += 1
    this.sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket))
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (let read = readRequest(received); read; read = readRequest(received)) {
        received = Buffer.from(read.rest)
        this.requests.push(read.request)
        this.script(socket, read.request)
      }
    })
  }
}

/** Returns the first whole request in the bytes and the rest; null while it is incomplete. */
function readRequest(bytes: Buffer): { request: ReceivedRequest; rest: Buffer } | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return null
  const [line = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
  )
  const start = end + 4
  const length = Number(headers['content-length'] ?? 0)
  if (bytes.length < start + length) return null
  const [method = '', path = ''] = line.split(' ')
  const body = Buffer.from(bytes.subarray(start, start + length))
  return { request: { method, path, headers, body, at: Date.now() }, rest: bytes.subarray(start + length) }
}

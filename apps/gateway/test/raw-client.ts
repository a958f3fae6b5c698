import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** One answer as received. */
export interface RawAnswer {
  status: number
  head: string
  json: { schema_version?: string; error?: { code: string; correlation_id: string } }
}

/** A raw client that sends any bytes at any time. */
export class RawClient {
  /** Everything received so far. */
  received = ''
  private readonly closed: Promise<unknown>

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => (this.received += chunk.toString('latin1')))
    this.closed = new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject))
    this.closed.catch(() => undefined)
  }

  static async open(origin: string): Promise<RawClient> {
    const { hostname, port } = new URL(origin)
    // With half-open connections the client keeps sending after the server has ended its side.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true })
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  /** Sends each part as a packet of its own. */
  async send(...parts: (string | Buffer)[]): Promise<this> {
    for (const part of parts) {
      if (!this.socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part))
        await once(this.socket, 'drain')
      await new Promise(setImmediate)
    }
    return this
  }

  /** Resolves when the server has ended its side. */
  async untilEnd(): Promise<RawAnswer[]> {
    if (!this.socket.readableEnded) await Promise.race([once(this.socket, 'end'), this.closed])
    this.socket.end()
    return answers(this.received)
  }

  /** Rejects when the connection was reset. */
  untilClosed(): Promise<unknown> {
    return this.closed
  }
}

/** Reads answers with Content-Length one after another, including interim ones. */
function answers(text: string): RawAnswer[] {
  const found: RawAnswer[] = []
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n') + 4
    if (end < 4) throw new Error(`no HTTP answer: ${rest.slice(0, 100)}`)
    const head = rest.slice(0, end)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    const body = rest.slice(end, end + length)
    const json = (body.startsWith('{') ? JSON.parse(body) : {}) as RawAnswer['json']
    found.push({ status: Number(head.slice(9, 12)), head, json })
    rest = rest.slice(end + length)
  }
  return found
}

/** A request's head; lines as given. */
export const headOf = (...lines: string[]): string => [...lines, '', ''].join('\r\n')

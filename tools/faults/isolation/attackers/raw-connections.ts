// Raw connections to a gateway, for requests that no HTTP client would send.
import { createHash, randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { BASE_PATH, signedHeaders } from '@connectivity/toolkit/partner'
import type { Partner, Target } from '../target.ts'

/** Attackers have addresses of their own, 127.0.0.2 to 127.0.0.11. */
const ADDRESSES = 10
/**
 * Time before a connection that was closed is opened again, ms; a flood of connections is stopped in front of gateways.
 */
const REOPEN_AFTER = 1_000

/** A new connection to one of the gateway's processes. */
function connectTo({ gateways }: Target, number: number): Socket {
  const port = gateways[number % gateways.length]!
  const socket = connect({ host: '127.0.0.1', port, localAddress: `127.0.0.${2 + (number % ADDRESSES)}` })
  // Being disconnected is part of an attack.
  return socket.on('error', () => undefined)
}

/** Resolves when the connection has ended on either side. */
const untilClosed = (socket: Socket): Promise<void> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()))

/** Opens `count` connections and opens each again when it has ended; `use` receives every new one. */
export function keepOpen(
  target: Target,
  count: number,
  use: (socket: Socket, number: number) => void,
  reopenAfter = REOPEN_AFTER,
): void {
  const one = async (number: number) => {
    for (;;) {
      const socket = connectTo(target, number)
      socket.once('connect', () => use(socket, number))
      await untilClosed(socket)
      await sleep(reopenAfter)
    }
  }
  for (let number = 0; number < count; number++) void one(number)
}

interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: string
  headers?: Record<string, string>
}

/** The bytes of a request signed by `partner`; unsigned without one. */
export function requestBytes({ method, path, body = '', headers = {} }: Request, partner?: Partner): string {
  const own = BASE_PATH + path
  const all: Record<string, string> = { host: '127.0.0.1', ...headers }
  if (partner) Object.assign(all, signedHeaders(method, own.split('?')[0]!, body, partner.signing))
  if (method === 'POST') {
    all['idempotency-key'] ??= randomUUID()
    all['content-type'] ??= 'application/json'
    all['content-length'] ??= String(Buffer.byteLength(body))
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${own} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

/** Well-formed credential headers that were never issued. */
export const inventedCredential = (): Record<string, string> => ({
  'x-service-key-id': `key_${randomUUID()}`,
  'x-service-timestamp': String(Math.floor(Date.now() / 1000)),
  'x-service-signature': createHash('sha256').update(randomUUID()).digest('hex'),
})

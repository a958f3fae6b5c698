import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Counts } from '@connectivity/service-kit/work'
import type { GatewayConfig } from '../../config.js'
import { addressIn, countedAddress } from '../../client-address.js'
import { isPrivate } from './listeners.js'
import { answerMalformed } from './malformed-request.js'
import { MAX_FIELDS } from '../requests/request-line.js'
import { limitPipelining } from '../connections/pipelined-requests.js'

/** Idle time after which a connection is closed, even in the middle of an answer, ms. */
export const STALLED_AFTER = 60_000

/**
 * Deadlines and sizes of both listeners, ms and bytes. The parser accepts heads of three times the allowed size, so
 * that `checkRequestLine` can report exactly what is too long. `checkRequestLine` also refuses a missing Host.
 */
export const listenerLimits = {
  maxHeaderSize: 48 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
  requireHostHeader: false,
}

type Limits = Pick<GatewayConfig, 'MAX_CONNECTIONS' | 'MAX_CONNECTIONS_PER_ADDRESS' | 'TRUSTED_PROXIES'>

/**
 * Guards against what Node's HTTP server leaves open: unlimited connections, endless pipelines, dropped headers,
 * CONNECT and Expect. Call it when the server has its request handler.
 * @param mayConnect whether a client address may open a connection now; a trusted proxy always may
 */
export function guardListener(
  server: Server,
  limits: Limits,
  mayConnect: (address: string) => boolean = everyAddress,
): void {
  server.maxConnections = limits.MAX_CONNECTIONS
  // Node drops headers and trailers behind these; `checkRequestLine` refuses a request that has so many.
  server.maxHeadersCount = MAX_FIELDS + 1
  server.setTimeout(STALLED_AFTER)
  limitAddresses(server, limits, mayConnect)
  limitPipelining(server)
  server.on('connect', (_request, socket) =>
    answerMalformed(new Error('the target of CONNECT is never a path'), socket as Socket),
  )
  // Expectations are never refused (RFC 9110 §10.1.1); 100 is sent when the body is to be read.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
    if (isPrivate(request) && !response.headersSent) response.writeContinue()
  })
}

const everyAddress = (): boolean => true

/** Limits connections per address, except for trusted proxies, which serve many clients. */
function limitAddresses(
  server: Server,
  { MAX_CONNECTIONS_PER_ADDRESS, TRUSTED_PROXIES }: Limits,
  mayConnect: (address: string) => boolean,
): void {
  const open = new Counts()
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress ?? ''
    const address = countedAddress(peer) ?? ''
    const isRefused = open.of(address) >= MAX_CONNECTIONS_PER_ADDRESS || !mayConnect(address)
    if (isRefused && !addressIn(TRUSTED_PROXIES, peer)) return socket.destroy()
    open.add(address, 1)
    socket.on('close', () => open.add(address, -1))
  })
}

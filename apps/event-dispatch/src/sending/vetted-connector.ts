import { constants } from 'node:crypto'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { type AddressRules, readAddress } from '../address-rules.js'
import type { CallbackTarget } from './callback-target.js'
import type { HostAddresses } from './host-addresses.js'
import { SendFailure } from './send-failure.js'

/** Longest time to resolve, connect and shake hands, ms. */
const CONNECT_LIMIT = 3_000
/** Time after which the next address is tried (RFC 8305), ms. */
const NEXT_ADDRESS_AFTER = 1_000
/** Session tickets that a connection may get. Servers send up to four; each costs 15 µs, and a read holds 3,000. */
const MOST_TICKETS = 16

/** Resolves a target's host and judges every answer. */
export class VettedAddresses {
  constructor(
    private readonly hosts: HostAddresses,
    private readonly rules: AddressRules,
  ) {}

  /**
   * Refuses a name without an address like one with forbidden addresses: a difference would reveal which internal names
   * exist.
   * @throws SendFailure `blocked_address`, or `dns_error` if the resolver gave no answer
   */
  async of({ host, openedOnly }: CallbackTarget): Promise<string[]> {
    const found = await this.hosts.of(host).catch((cause: unknown) => {
      throw new SendFailure(openedOnly ? 'blocked_address' : 'dns_error', { cause })
    })
    const vetted = this.rules.vet(found, openedOnly)
    if (vetted.length === 0) throw new SendFailure('blocked_address')
    return vetted
  }
}

/** Returns the vetted addresses for any name: nothing is resolved between vetting and connecting. */
const lookupOf =
  (addresses: readonly string[]): LookupFunction =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

const openTcp = ({ host, port }: CallbackTarget, addresses: readonly string[]): Socket =>
  connectTcp({
    host,
    port,
    lookup: lookupOf(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER,
    noDelay: true,
  })

/** Checks, before a byte is written, that the remote address was vetted. @throws SendFailure `blocked_address` */
export function checkRemote({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>, addresses: readonly string[]): void {
  const remote = readAddress(remoteAddress)
  if (!remote || !addresses.includes(String(remote))) throw new SendFailure('blocked_address')
}

/** Requests verification explicitly, so that no environment variable turns it off. */
function openTls(socket: Socket, { host }: CallbackTarget): TLSSocket {
  const secured = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    // A handshake costs 1 ms, and a receiver could ask for any number.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })
  return limitTickets(secured)
}

/** Ends a connection whose receiver floods session tickets: no byte of them reaches the reader of the answer. */
function limitTickets(socket: TLSSocket): TLSSocket {
  let tickets = 0
  return socket.on('session', () => {
    tickets += 1
    if (tickets > MOST_TICKETS) socket.destroy(new SendFailure('protocol_error'))
  })
}

/** @throws the socket's error, or SendFailure if it was closed without one */
function reached(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const onClose = () => reject(new SendFailure('connection_reset'))
  socket.once(event, resolve).once('error', reject).once('close', onClose)
  return promise.finally(() => socket.off(event, resolve).off('error', reject).off('close', onClose))
}

/** An open connection to a receiver. */
export interface OpenConnection {
  socket: Socket
  /** Bytes that have arrived, those of TLS included. */
  received: () => number
}

/**
 * Opens a connection to a vetted address of the target, over TLS when it is https.
 * @throws SendFailure
 */
export async function connectVetted(target: CallbackTarget, vetted: VettedAddresses): Promise<OpenConnection> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new SendFailure('timeout')), CONNECT_LIMIT)
  const opened: Socket[] = []
  try {
    const addresses = await Promise.race([vetted.of(target), late])
    const socket = openTcp(target, addresses)
    opened.push(socket)
    await Promise.race([reached(socket, 'connect'), late])
    checkRemote(socket, addresses)
    const received = () => socket.bytesRead
    if (!target.secure) return { socket, received }
    // Errors of the TCP socket surface on the TLS socket above it.
    socket.on('error', () => undefined)
    const secured = openTls(socket, target)
    opened.push(secured)
    await Promise.race([reached(secured, 'secureConnect').catch(failHandshake), late])
    return { socket: secured, received }
  } catch (error) {
    for (const socket of opened) socket.on('error', () => undefined).destroy()
    throw SendFailure.of(error)
  } finally {
    clearTimeout(timer)
  }
}

const failHandshake = (error: unknown): never => {
  throw SendFailure.ofHandshake(error)
}

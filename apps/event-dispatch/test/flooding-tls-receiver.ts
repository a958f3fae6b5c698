/**
 * A receiver that answers a request with records of TLS without end that hold no data: session tickets, or with the
 * argument `key-updates` new keys. A separate process, see `flooding-receiver.ts`. It reads certificate and key (PEM,
 * JSON) from standard input and writes its port to standard output. No TLS library sends such records, so it encrypts
 * them itself (RFC 8446 §5.2, §7.2, §7.3).
 */
import { createCipheriv, createHmac } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { json } from 'node:stream/consumers'
import { TLSSocket } from 'node:tls'

const CIPHER = 'TLS_AES_128_GCM_SHA256'
const [KEY_BYTES, IV_BYTES, TAG_BYTES, HEADER_BYTES] = [16, 12, 16, 5]
const [APPLICATION_DATA, HANDSHAKE] = [23, 22]
const TICKETS_PER_RECORD = 800
/** Time until the tickets of the TLS library are sent, ms. */
const SETTLED = 500

/** NewSessionTicket (RFC 8446 §4.6.1) as short as it may be: lifetime, age, nonce, ticket, no extensions. */
const TICKET = Buffer.from([4, 0, 0, 15, 0, 0, 28, 32, 0, 0, 0, 0, 1, 7, 0, 1, 9, 0, 0])
/** KeyUpdate (RFC 8446 §4.6.3): the next record has the next key. */
const KEY_UPDATE = Buffer.from([24, 0, 0, 1, 0])
const TICKETS = Buffer.concat(Array.from({ length: TICKETS_PER_RECORD }, () => TICKET))

/** HKDF-Expand-Label for at most one hash. */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const full = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.from([0, length, full.length]), full, Buffer.from([0, 1])])
  return createHmac('sha256', secret).update(info).digest().subarray(0, length)
}

/** Encrypts handshake records that follow the first `sequence` ones. */
function sealer(secret: Buffer, sequence: number): (content: Buffer) => Buffer {
  const key = expand(secret, 'key', KEY_BYTES)
  const iv = expand(secret, 'iv', IV_BYTES)
  let next = BigInt(sequence)
  return (content) => {
    const header = Buffer.from([APPLICATION_DATA, 3, 3, 0, 0])
    header.writeUInt16BE(content.length + 1 + TAG_BYTES, 3)
    const nonce = Buffer.from(iv)
    const low = IV_BYTES - BigUint64Array.BYTES_PER_ELEMENT
    nonce.writeBigUInt64BE(iv.readBigUInt64BE(low) ^ next++, low)
    const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(header)
    const sealed = Buffer.concat([cipher.update(content), cipher.update(Buffer.from([HANDSHAKE])), cipher.final()])
    return Buffer.concat([header, sealed, cipher.getAuthTag()])
  }
}

/** Makes the next record of a flood. */
type NextRecord = () => Buffer

function tickets(secret: Buffer, sequence: number): NextRecord {
  const seal = sealer(secret, sequence)
  return () => seal(TICKETS)
}

function keyUpdates(secret: Buffer, sequence: number): NextRecord {
  let seal = sealer(secret, sequence)
  let current = secret
  return () => {
    const record = seal(KEY_UPDATE)
    current = expand(current, 'traffic upd', current.length)
    seal = sealer(current, 0)
    return record
  }
}

function flood(socket: Socket, next: NextRecord): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(next()));
    if (!socket.destroyed) socket.once('drain', more)
  }
  more()
}

const recordsIn = (bytes: Buffer): number => {
  let count = 0
  for (let at = 0; at < bytes.length; at += HEADER_BYTES + bytes.readUInt16BE(at + 3)) count += 1
  return count
}

function answerWell(secured: TLSSocket): void {
  let answered = 0
  secured.on('data', () => {
    answered += 1
    const isLast = answered === wellAnswered
    const end = isLast ? 'connection: close\r\n' : ''
    secured.write(`HTTP/1.1 204 No Content\r\n${end}x-filler: ${'x'.repeat(60_000)}\r\n\r\n`)
    if (isLast) secured.end()
  })
}

const recordsOf = process.argv[2] === 'key-updates' ? keyUpdates : tickets
const { cert, key } = (await json(process.stdin)) as { cert: string; key: string }
/** Requests that the first connection answers well before it closes. */
const wellAnswered = Number(process.argv[3] ?? 0)
let connections = 0
const server = createServer((socket) => {
  connections += 1
  const answersWell = wellAnswered > 0 && connections === 1
  const [inside, outside] = duplexPair()
  let [reads, records, isFlooding] = [0, 0, false]
  let secret = Buffer.alloc(0)
  socket.on('error', () => undefined).on('end', () => inside.end())
  // The client's second message ends the handshake: later records are encrypted with the traffic secret.
  socket.on('data', (bytes: Buffer) => {
    reads += 1
    inside.write(bytes)
  })
  inside.on('data', (bytes: Buffer) => {
    if (isFlooding) return
    if (reads > 1) records += recordsIn(bytes)
    socket.write(bytes)
  })
  const secured = new TLSSocket(outside, { isServer: true, cert, key, ciphers: CIPHER, minVersion: 'TLSv1.3' })
  secured
    .on('error', () => undefined)
    .on('keylog', (line: Buffer) => {
      const [, found] = /^SERVER_TRAFFIC_SECRET_0 \S+ (\S+)/.exec(line.toString()) ?? []
      if (found) secret = Buffer.from(found, 'hex')
    })
  if (answersWell) return answerWell(secured)
  secured.once('data', () =>
    setTimeout(() => {
      isFlooding = true
      flood(socket, recordsOf(secret, records))
    }, SETTLED),
  )
})
server.listen(0, '127.0.0.1', () => process.stdout.write(String((server.address() as { port: number }).port)))

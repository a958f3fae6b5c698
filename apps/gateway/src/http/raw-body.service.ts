import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { MAX_BODY_BYTES, maxBodyBytesOf } from '@connectivity/contracts/partner-api'
import type { FastifyInstance } from 'fastify'
import { freeAtOnce } from './free-at-once.js'
import { PacedReads, startReading } from './paced-reads.js'
import { resumeReading } from './pipelined-requests.js'
import { BodyBudgets, type BodyLease, type Sender } from './body-budgets.service.js'
import type { PartnerRequest } from './partner-request.js'
import { hasBody, NO_BYTES } from './received-body.js'

/** Most pieces of a body: each costs about 1 µs, so 1 MiB in single bytes would block all requests for a second. */
const MAX_PIECES = 10_000

const KIB = 1024
const sizeInWords = (bytes: number): string =>
  bytes % (KIB * KIB) === 0 ? `${bytes / (KIB * KIB)} MiB` : `${bytes / KIB} KiB`

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError(
    'payload_too_large',
    `The body of this call may be at most ${sizeInWords(maxBytes)} long; shorten it, or split the request if it holds a list.`,
  )

/** 503 for a body that exceeds the memory budget of its sender or of all senders together. */
export class OverBudget extends ServiceError {
  constructor() {
    super(
      'service_unavailable',
      'Too much request data is being received at once; wait, then send fewer large requests at the same time.',
      { retryAfterSeconds: 2 },
    )
  }
}

const inTooManyPieces = (): ServiceError =>
  new ServiceError('invalid_request', 'The body comes in too many small chunks; send larger ones or a Content-Length.')

const incomplete = (): ServiceError =>
  new ServiceError('invalid_request', 'The body ended before it was complete; send the request again.')

/** Whether part of the body has not arrived yet, so that later data on the connection cannot be told from it. */
export const isUnread = (request: IncomingMessage): boolean => hasBody(request) && !request.complete

/** Disables Fastify's parsers for partner routes: admission has already read the body. */
export function leaveBodiesToAdmission(routes: FastifyInstance): void {
  routes.removeAllContentTypeParsers()
  routes.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

/** Stands for a body that was only hashed, so that later work on it takes as long as for one that was kept. */
const ZEROS = Buffer.alloc(MAX_BODY_BYTES)

type Refuse = (refusal: ServiceError) => void

/** Connections on which a body is being read, or will be read once its sender has been authenticated. */
const readings = new WeakMap<Socket, Refuse>()

/**
 * Ends the reading of a body that arrives too slowly or is malformed; the reader gets the refusal.
 * @returns whether one was being read
 */
export function abortBody(socket: Socket, refusal: ServiceError): boolean {
  const refuse = readings.get(socket)
  refuse?.(refusal)
  return refuse !== undefined
}

/**
 * Holds the body of a request until its sender has been authenticated: only the part that came with the head is read.
 * A malformed body is still refused as such.
 */
export function holdBody({ http: { raw }, body }: PartnerRequest): void {
  if (!body.isAnnounced) return
  raw.socket.pause()
  readings.set(raw.socket, (refusal) => (body.fault = refusal))
}

/**
 * Discards the body of a refused request. What has not arrived is read when the answer has been sent: it may be held.
 * @returns the fault of the body itself, if any
 */
export function dropBody(partner: PartnerRequest): ServiceError | null {
  const { http, body } = partner
  if (!body.isAnnounced) return null
  forgetBody(partner)
  readings.delete(http.raw.socket)
  if (isUnread(http.raw)) return body.fault
  http.raw.on('data', freeAtOnce)
  startReading(http.raw.socket)
  resumeReading(http.raw.socket)
  return body.fault
}

/** Frees the body of a request that is refused, which may be long before its answer is sent. */
export function forgetBody({ body }: PartnerRequest): void {
  if (body.bytes.buffer !== ZEROS.buffer) freeAtOnce(body.bytes)
  body.bytes = NO_BYTES
  body.lease?.end()
}

/** @throws ServiceError 413 when the announced size is too large, before anything is read */
export function checkAnnouncedSize({ headers }: Pick<IncomingMessage, 'headers'>, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/** Reads bodies of partners' requests within the memory budgets. */
@Injectable()
export class RawBodies {
  constructor(private readonly budgets: BodyBudgets) {}

  /**
   * Reads the body of any method, since its bytes are signed, into `body`. Sends `100 Continue` if
   * expected. Releases the body's budget when the request has been answered or its connection has closed.
   * @throws ServiceError 413 as soon as more than the operation takes have arrived, 503 beyond a budget, 400 when the
   * client disconnects half-way or sends too many chunks, 408
   */
  async read(partner: PartnerRequest, sender: Omit<Sender, 'address'>): Promise<void> {
    const { http, reply, address, body } = partner
    if (!body.isAnnounced) return
    if (body.fault) throw body.fault
    const lease = this.budgets.open({ address, ...sender })
    body.lease = lease
    reply.raw.once('close', () => lease.end())
    if (http.headers.expect?.toLowerCase() === '100-continue' && http.raw.httpVersion === '1.1')
      reply.raw.writeContinue()
    resumeReading(http.raw.socket)
    const { chunks, size, hash } = await collect(http.raw, lease, {
      ...sender,
      maxBytes: maxBodyBytesOf(partner.operation),
    })
    Object.assign(body, { bytes: bodyOf(chunks, size), size, hash })
  }
}

function bodyOf(chunks: readonly Buffer[], size: number): Buffer {
  const [first] = chunks
  if (!first) return ZEROS.subarray(0, size)
  if (chunks.length === 1) return first
  const whole = Buffer.concat(chunks, size)
  chunks.forEach(freeAtOnce)
  return whole
}

/** Bodies up to this length are read without delay, bytes. */
const LONG = 64 * KIB
/** Reads of longer bodies: strangers take none of the partners' turns. */
const paces = { partners: new PacedReads(), strangers: new PacedReads() }

interface Collected {
  chunks: Buffer[]
  pieces: number
  size: number
  hash: string
}

/** Longest body that is accepted, and the longest of which more than the hash is collected, bytes. */
interface Sizes {
  maxBytes: number
  mostKept: number
}

function collect(request: IncomingMessage, lease: BodyLease, { maxBytes, mostKept }: Sizes): Promise<Collected> {
  const { socket } = request
  const { promise, resolve, reject } = Promise.withResolvers<Collected>()
  const hash = createHash('sha256')
  const pace = paces[lease.share]
  const found: Collected = { chunks: [], pieces: 0, size: 0, hash: '' }
  const take = (chunk: Buffer) => {
    found.size += chunk.length
    found.pieces += 1
    if (found.size > maxBytes) return refuse(tooLarge(maxBytes))
    if (found.pieces > MAX_PIECES) return refuse(inTooManyPieces())
    if (!lease.take(chunk.length)) return refuse(new OverBudget())
    hash.update(chunk)
    found.chunks.push(chunk)
    if (found.size > mostKept) found.chunks.splice(0).forEach(freeAtOnce)
    if (found.size > LONG) pace.count(socket, chunk.length)
  }
  const refuse: Refuse = (refusal) => {
    request.removeListener('data', take)
    pace.stop(socket)
    found.chunks.length = 0
    lease.end()
    readings.delete(socket)
    reject(refusal)
  }
  const giveUp = () => refuse(incomplete())
  readings.set(socket, refuse)
  request
    .on('data', take)
    .once('error', giveUp)
    .once('close', giveUp)
    .once('end', () => {
      request.removeListener('close', giveUp)
      pace.release(socket)
      if (readings.get(socket) === refuse) readings.delete(socket)
      found.hash = hash.digest('hex')
      resolve(found)
    })
  return promise
}

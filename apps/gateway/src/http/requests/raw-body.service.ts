import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Injectable } from '@nestjs/common'
import { maxBodyBytesOf } from '@connectivity/contracts/partner-api'
import { BodyPieces } from './body-pieces.js'
import { inTooManyPieces, incomplete, OverBudget, tooLarge } from './body-refusals.js'
import { PacedReads } from '../connections/paced-reads.js'
import { resumeReading } from '../connections/pipelined-requests.js'
import { BodyBudgets, type BodyLease, type Sender } from './body-budgets.service.js'
import type { PartnerRequest } from './partner-request.js'
import { readings, type Refuse } from './held-body.js'
import { ZEROS } from './received-body.js'

/** Most pieces of a body: each costs about 1 µs, so 1 MiB in single bytes would block all requests for a second. */
const MAX_PIECES = 10_000

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
    const { pieces, size, hash } = await collect(http.raw, lease, {
      ...sender,
      maxBytes: maxBodyBytesOf(partner.operation),
    })
    Object.assign(body, { bytes: pieces.join(size) ?? ZEROS.subarray(0, size), size, hash })
  }
}

/** Bodies up to this length are read without delay, bytes. */
const LONG = 64 * 1024
/** Reads of longer bodies: strangers take none of the partners' turns. */
const paces = { partners: new PacedReads(), strangers: new PacedReads() }

interface Collected {
  pieces: BodyPieces
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
  const found: Collected = { pieces: new BodyPieces(), size: 0, hash: '' }
  let count = 0
  const take = (chunk: Buffer) => {
    found.size += chunk.length
    if (found.size > maxBytes) return refuse(tooLarge(maxBytes))
    if (Math.max(++count, request.arrivedChunks ?? 0) > MAX_PIECES) return refuse(inTooManyPieces())
    if (!lease.take(chunk.length)) return refuse(new OverBudget())
    hash.update(chunk)
    found.pieces.add(chunk)
    if (found.size > mostKept) found.pieces.drop()
    if (found.size > LONG) pace.count(socket, chunk.length)
  }
  const refuse: Refuse = (refusal) => {
    request.removeListener('data', take)
    pace.stop(socket)
    found.pieces.drop()
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

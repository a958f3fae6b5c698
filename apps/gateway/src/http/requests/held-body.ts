import type { Socket } from 'node:net'
import type { ServiceError } from '@connectivity/contracts/errors'
import { freeAtOnce } from '../connections/free-at-once.js'
import { startReading } from '../connections/paced-reads.js'
import type { PartnerRequest } from './partner-request.js'
import { resumeReading } from '../connections/pipelined-requests.js'
import { isUnread, NO_BYTES, ZEROS } from './received-body.js'

/** Ends the reading of a body. */
export type Refuse = (refusal: ServiceError) => void

/** Connections on which a body is being read, or will be read once its sender has been authenticated. */
export const readings = new WeakMap<Socket, Refuse>()

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

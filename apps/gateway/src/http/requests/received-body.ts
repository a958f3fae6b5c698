import type { IncomingMessage } from 'node:http'
import type { ServiceError } from '@connectivity/contracts/errors'
import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'
import { EMPTY_BODY_HASH } from '@connectivity/signing'
import type { BodyLease } from './body-budgets.service.js'

/** The body of a partner's request, as far as it has been read. */
export interface ReceivedBody {
  /** Whether the head of the request announces a body. */
  readonly isAnnounced: boolean
  /** The bytes as sent, or as many zeros if they were not kept; empty until the body is read, and without one. */
  bytes: Buffer
  /** Number of bytes read; stays when they are freed. */
  size: number
  /** SHA-256 of the bytes as sent, lower-case hex. */
  hash: string
  /** Fault found before the body was read. */
  fault: ServiceError | null
  /** Budget that it uses; null until it is read. */
  lease: Pick<BodyLease, 'end'> | null
}

/** The body of a request without one or with an unread one. */
export const NO_BYTES = Buffer.alloc(0)

/** Stands for a body that was only hashed, so that later work on it takes as long as for one that was kept. */
export const ZEROS = Buffer.alloc(MAX_BODY_BYTES)

/** Whether a request announces a body. */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Whether part of the body has not arrived yet, so that the connection cannot be reused. */
export const isUnread = (request: IncomingMessage): boolean => hasBody(request) && !request.complete

/** The body of a request of which only the head has been read. */
export const unreadBody = (request: Pick<IncomingMessage, 'headers'>): ReceivedBody => ({
  isAnnounced: hasBody(request),
  bytes: NO_BYTES,
  size: 0,
  hash: EMPTY_BODY_HASH,
  fault: null,
  lease: null,
})

import type { ServiceError } from '@connectivity/contracts/errors'
import type { Operation } from '@connectivity/contracts/operation'
import type { CredentialType } from '@connectivity/contracts/operators-api'
import { EMPTY_BODY_HASH } from '@connectivity/signing/canonical-request'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../client-address.js'
import { matchTarget, operationFor, type PartnerRoute } from './partner-route.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request as the partners' listener resolved it; absent on the private listener. */
    partner?: PartnerRequest
  }
}

/** A credential that a request has proved to hold. */
interface Caller {
  readonly applicationId: string
  readonly type: CredentialType | 'portal'
  /** Key id or client id, or the link of a session of the portal. */
  readonly keyId: string
}

/** Facts about a service's answer, taken from its head. */
export interface AnswerFacts {
  /** What a page of the feed holds, see `SERVED_PAGE_HEADER`. */
  page: string | null
  /** The answer has nothing new for its caller. */
  isEmpty: boolean
  /** Length of its body; null when a refusal took its place. */
  bytes: number | null
}

/** A request on the partners' listener. Its route, operation and address are resolved once. */
export interface PartnerRequest {
  readonly http: FastifyRequest
  readonly reply: FastifyReply
  /** Correlation id. */
  readonly id: string
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** Null at a path that does not exist. */
  readonly route: PartnerRoute | null
  /** Null when the path does not take the method. */
  readonly operation: Operation | null
  /** When the request line was read, ms since the epoch. */
  readonly receivedAt: number
  /** The same moment of the monotonic clock, ms. */
  readonly startedAt: number
  /** Key by which the client's address is counted. */
  readonly address: string
  /** Bytes as sent; empty until the body is read, and without one. */
  body: Buffer
  /** SHA-256 of `body`, lower-case hex. */
  bodyHash: string
  /** Fault of a body that was found before the body was read. */
  bodyFault: ServiceError | null
  /** Key or client id of an existing credential that the request names, whether it proved to hold the secret or not. */
  knownKeyId: string | null
  /** The connection that the request names, unchecked; null before authentication when only the body could name it. */
  namedPropertyId: string | null
  /** Null until the sender is authenticated. */
  caller: Caller | null
  /** The connection that the request addresses; null until it is admitted, and without one. */
  connectionId: string | null
  /** Null while no service has answered. */
  answered: AnswerFacts | null
  /** Headers added to the answer, above all those of the rate limits. */
  answerHeaders: Record<string, string>
}

/** The body of a request without one or with an unread one. */
const NO_BODY = Buffer.alloc(0)

/** Resolves a request whose request line has been checked. */
export function resolvePartnerRequest(http: FastifyRequest, reply: FastifyReply): PartnerRequest {
  const { method, originalUrl: target, id } = http
  const route = matchTarget(target)
  return {
    http,
    reply,
    id,
    method,
    target,
    route,
    operation: (route && operationFor(route, method)) ?? null,
    receivedAt: Date.now(),
    startedAt: performance.now(),
    address: clientAddress(http),
    body: NO_BODY,
    bodyHash: EMPTY_BODY_HASH,
    bodyFault: null,
    knownKeyId: null,
    namedPropertyId: null,
    caller: null,
    connectionId: null,
    answered: null,
    answerHeaders: {},
  }
}

/** Adds headers to the answer, also to one that a service gives. */
export function addAnswerHeaders(partner: PartnerRequest, headers: Record<string, string>): void {
  Object.assign(partner.answerHeaders, headers)
  void partner.reply.headers(headers)
}

/** @throws Error on the private listener, whose handlers must not call it */
export function partnerRequestOf({ partner }: FastifyRequest): PartnerRequest {
  if (partner) return partner
  throw new Error('a handler of partners was called for a request of the private listener')
}

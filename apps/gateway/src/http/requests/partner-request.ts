import type { Operation } from '@connectivity/contracts/operation'
import type { CredentialType } from '@connectivity/contracts/operators-api'
import { queryOf } from '@connectivity/contracts/request-target'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientAddress } from '../../client-address.js'
import { operationFor, type PartnerRoute } from './partner-route.js'
import { type ReceivedBody, unreadBody } from './received-body.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request as resolved, and after admission as admitted; absent on the private listener. */
    partner?: PartnerRequest
  }
}

/** A credential that a request has proved to hold. */
interface Caller {
  readonly applicationId: string
  readonly type: CredentialType | 'portal'
  /** Key id or client id, or the link of a session of the portal. */
  readonly keyId: string
  /** The connection that it was issued for; null for a session of the portal. */
  readonly connectionId: string | null
  /** Whether it may address this connection only. */
  readonly ownConnectionOnly: boolean
}

/** Facts about a service's answer, taken from its head. */
export interface AnswerFacts {
  /** Status that the service gave; a refusal that takes the answer's place has another. */
  status: number
  /** Stamps and number of rows of a page of the feed, see `SERVED_PAGE_HEADER`. */
  page: string | null
  /** Whether the answer has nothing new for its caller. */
  isEmpty: boolean
  /** Length of its body. */
  bytes: number
}

/** Facts that become known while a request is admitted and answered. The logs read them. */
interface RequestFacts {
  /** Key or client id of an existing credential that the request names, whether it proved to hold the secret or not. */
  keyId: string | null
  /** Client id with which a token is requested, unchecked but well-formed. */
  claimedClientId: string | null
  /** The connection that the request names, unchecked; null before authentication when only the body could name it. */
  namedId: string | null
  /** Null until the sender is authenticated. */
  caller: Caller | null
  /** The connection that the request addresses; null until it is admitted, and without one. */
  connectionId: string | null
  /** Subject whose limit or budget the request exceeds; null while it exceeds none. */
  exceeded: string | null
  /** Null while no service has answered. */
  answer: AnswerFacts | null
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
  /** Query as sent, without `?`. */
  readonly query: string
  /** Null at a path that does not exist. */
  readonly route: PartnerRoute | null
  /** Null when the path does not take the method. */
  readonly operation: Operation | null
  /** Time at which the request line was read, ms since the epoch. */
  readonly receivedAt: number
  /** The same moment on the monotonic clock, ms. */
  readonly startedAt: number
  /** Key by which the client's address is counted. */
  readonly address: string
  readonly body: ReceivedBody
  readonly facts: RequestFacts
  /** Headers added to the answer, above all those of the rate limits. */
  readonly answerHeaders: Record<string, string>
}

/** Resolves a request whose request line has been checked. */
export function resolvePartnerRequest(http: FastifyRequest, reply: FastifyReply): PartnerRequest {
  const { method, originalUrl: target, id } = http
  const route = http.raw.partnerRoute ?? null
  return {
    http,
    reply,
    id,
    method,
    target,
    query: queryOf(target),
    route,
    operation: (route && operationFor(route, method)) ?? null,
    receivedAt: Date.now(),
    startedAt: performance.now(),
    address: clientAddress(http),
    body: unreadBody(http.raw),
    facts: {
      keyId: null,
      claimedClientId: null,
      namedId: null,
      caller: null,
      connectionId: null,
      exceeded: null,
      answer: null,
    },
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

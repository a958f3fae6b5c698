import { HttpStatus } from '@nestjs/common'
import { type ErrorDetail, MAX_DETAILS } from '@connectivity/contracts/errors'
import type { RateClass } from '@connectivity/contracts/rate-limits'
import type { AuthMethod, StoredAnswerUse } from '@connectivity/contracts/request-log'
import { pathOf } from '@connectivity/contracts/request-target'
import { rounded } from '@connectivity/service-kit/http'
import { namedForLogs } from '../admission/assignment/named-connection.js'
import { claimedKeyId, claimedTimestamp } from '../admission/authentication/signature-headers.js'
import type { AnswerFacts, PartnerRequest } from '../http/requests/partner-request.js'
import { authMethodOf } from '../live/live-credential.js'
import { type Parameters, shownParameters } from './shown-parameters.js'

/** Longest path that is kept, characters; a stranger may choose it. */
const LONGEST_PATH = 1024
/** Longest list of faults that is kept, characters of JSON; its end is left out. */
const LONGEST_DETAILS = 16 * 1024

/** Statuses without a body. */
const BODILESS = new Set([204, 304])

/** The answer of a request that has ended. */
export interface Ended {
  status: number
  /** Length of an answer that the gateway made itself; ignored for those of services. */
  bytes: number
}

/**
 * Facts that are shown but never searched, in one JSON text: it costs a third of a column for each. In this order:
 * bytes of the request's and of the answer's body; class of the rate limit and requests left, null without; clock skew,
 * s; whether the answer was stored or replayed; parameters; faults; message of the refusal.
 */
export type ShownFacts = [
  requestBytes: number,
  responseBytes: number,
  rateClass: RateClass | null,
  limitRemaining: number | null,
  clockSkewSeconds: number | null,
  storedAnswer: StoredAnswerUse | null,
  query: Parameters,
  details: readonly ErrorDetail[],
  message: string | null,
]

/** A request as it is written to the log. No text but that of `facts` may hold control characters. */
export interface LogEntry {
  /** Milliseconds. */
  at: number
  correlationId: string
  /** Null until the sender's credential is looked up, and for strangers. */
  applicationId: string | null
  /** Key or client id that the request named. */
  keyId: string | null
  /** The connection that the request named, even one that is not the sender's. */
  connectionId: string | null
  /** Whether application, key and connection still have to be looked up and compared. */
  isUnchecked: boolean
  method: string
  path: string
  authMethod: AuthMethod | null
  authenticated: boolean
  status: number
  code: string | null
  durationMs: number
  /** Stamps in ms. */
  page: { from: number; to: number; rows: number } | null
  /** `ShownFacts` as JSON. */
  facts: string
  /** Entries with the same key are folded into one; null for an entry that is never folded. */
  foldKey: string | null
  repeated: number
}

/**
 * Builds the entry of a request that has ended.
 * @param foldKey see `foldKeyOf`
 */
export function logEntryOf(partner: PartnerRequest, ended: Ended, foldKey: string | null): LogEntry {
  const { method, target } = partner
  return {
    at: partner.receivedAt,
    correlationId: partner.id,
    ...senderOf(partner, ended.status),
    method,
    path: keptPath(target),
    status: ended.status,
    code: partner.http.record.code,
    durationMs: rounded(performance.now() - partner.startedAt),
    page: method === 'GET' && ended.status === HttpStatus.OK ? pageOf(partner.facts.answer) : null,
    facts: factsOf(partner, ended),
    foldKey,
    repeated: 1,
  }
}

/** The path, copied from a long target: a slice would keep the whole target in memory. */
function keptPath(target: string): string {
  const path = pathOf(target).slice(0, LONGEST_PATH)
  return target.length > LONGEST_PATH ? Buffer.from(path).toString() : path
}

function factsOf(partner: PartnerRequest, ended: Ended): string {
  const { message, details, storedAnswer, fields } = partner.http.record
  const { limit, limit_remaining: remaining } = fields
  const facts: ShownFacts = [
    partner.body.size,
    responseBytes(partner, ended),
    limit === undefined ? null : (limit as RateClass),
    limit === undefined ? null : (remaining as number),
    clockSkew(partner),
    storedAnswer,
    shownParameters(partner),
    details ? kept(details) : [],
    message,
  ]
  return JSON.stringify(facts)
}

/** Sender and connection of the request. A session of the portal has neither key nor client. */
function senderOf(
  partner: PartnerRequest,
  status: number,
): Pick<LogEntry, 'applicationId' | 'keyId' | 'connectionId' | 'isUnchecked' | 'authMethod' | 'authenticated'> {
  const { caller, connectionId } = partner.facts
  const named = connectionId ?? nameableId(namedForLogs(partner), caller)
  const authenticated = isAuthenticated(partner, status)
  return {
    applicationId: caller?.applicationId ?? null,
    keyId: keyIdOf(partner),
    connectionId: named,
    isUnchecked: caller === null || named !== connectionId,
    authMethod: authenticated ? methodOf(partner) : null,
    authenticated,
  }
}

/** The connection that a request names, unless its caller may not learn whose it is. */
const nameableId = (named: string | null, caller: PartnerRequest['facts']['caller']): string | null =>
  caller?.ownConnectionOnly === true && named !== caller.connectionId ? null : named

/**
 * How the sender authenticated; null for the calls that issue tokens and sessions.
 */
function methodOf({ operation, facts: { caller } }: PartnerRequest): AuthMethod | null {
  const isInBody = operation?.open === true && operation.method === 'POST'
  return caller === null || isInBody ? null : authMethodOf[caller.type]
}

function responseBytes({ method, facts: { answer } }: PartnerRequest, { status, bytes }: Ended): number {
  if (method === 'HEAD' || BODILESS.has(status)) return 0
  return answer?.status === status ? answer.bytes : bytes
}

/** Whether the request was authenticated. */
export const isAuthenticated = ({ facts }: PartnerRequest, status: number): boolean =>
  facts.caller !== null && status !== HttpStatus.UNAUTHORIZED

/** Key or client id that the request named; null for a session of the portal. */
export function keyIdOf(partner: PartnerRequest): string | null {
  const { caller, keyId, claimedClientId } = partner.facts
  // A request that was refused before its credential was looked up only claims a key or a client.
  const claimed = claimedClientId ?? claimedKeyId(partner.http.headers)
  return caller?.type === 'portal' ? null : (caller?.keyId ?? keyId ?? claimed)
}

function clockSkew({ http, receivedAt }: PartnerRequest): number | null {
  const timestamp = claimedTimestamp(http.headers)
  return timestamp === null ? null : Math.floor(receivedAt / 1000) - Number(timestamp)
}

function pageOf(answered: AnswerFacts | null): LogEntry['page'] {
  if (!answered?.page) return null
  const [from, to, rows] = answered.page.split(' ').map(Number)
  return { from: from!, to: to!, rows: rows! }
}

/** The first faults, as many as fit. */
function kept(details: readonly ErrorDetail[]): readonly ErrorDetail[] {
  const first = details.slice(0, MAX_DETAILS)
  const isTooLong = JSON.stringify(first).length > LONGEST_DETAILS
  return isTooLong ? kept(first.slice(0, Math.floor(first.length / 2))) : first
}

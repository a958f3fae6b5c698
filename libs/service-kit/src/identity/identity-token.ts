import { hash, type KeyObject, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import {
  CORRELATION_HEADER,
  type Identity,
  IDENTITY_HEADER,
  type OperatorIdentity,
  type ServiceName,
} from '@connectivity/contracts/identity'
import { pathOf, queryOf } from '@connectivity/contracts/request-target'
import { EMPTY_BODY_HASH, hmacSha256, isSameDigest } from '@connectivity/signing'
import { LRUCache } from 'lru-cache'

const HEADER = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url')
/** Longest lifetime of an identity, seconds: long enough for clocks that differ, too short to be worth stealing. */
export const IDENTITY_LIFETIME = 30

/** Callers whose signed claims are remembered for each key, by signing and by verifying processes. */
const REMEMBERED = 2_000

/** The request that an identity is for, as the service receives it. */
export interface IdentifiedRequest {
  method: string
  /** Path and query. */
  target: string
  /** The header's text, absent when it is not sent. */
  idempotencyKey?: string | undefined
  /** Lower-case hex SHA-256 of the body, absent when there is none. */
  bodyHash?: string | undefined
}

/** A request that has arrived with an identity. */
export interface ReceivedRequest extends Pick<IdentifiedRequest, 'method' | 'target'> {
  headers: IncomingHttpHeaders
}

/** Hash of a request's Idempotency-Key and body, base64url; empty when it has neither. */
export function contentOf({
  idempotencyKey = '',
  bodyHash = EMPTY_BODY_HASH,
}: Pick<IdentifiedRequest, 'idempotencyKey' | 'bodyHash'>): string {
  if (idempotencyKey === '' && bodyHash === EMPTY_BODY_HASH) return ''
  return hash('sha256', `${idempotencyKey}\n${bodyHash}`, 'base64url')
}

/** Longest query that identities of one JWS name as it is, characters. */
const SHORT_QUERY = 200

/** Content claim of one-JWS identities, in place of `contentOf`: `?` and a short query, otherwise a hash. */
export function wholeContentOf(request: Omit<IdentifiedRequest, 'method'>): string {
  const { target, idempotencyKey = '', bodyHash = EMPTY_BODY_HASH } = request
  const query = queryOf(target)
  if (query.length <= SHORT_QUERY && contentOf(request) === '') return `?${query}`
  return hash('sha256', `${query}\n${idempotencyKey}\n${bodyHash}`, 'base64url')
}

/** 72 random bits for this process, so that its nonces differ from those of any other. */
const ownNonces = randomBytes(9).toString('base64url')
let signedSoFar = 0
const nextNonce = (): string => ownNonces + (signedSoFar++).toString(36)

type OfRequest = 'method' | 'path' | 'content' | 'nonce'
type Claims = Omit<Identity, OfRequest> | Omit<OperatorIdentity, OfRequest>
type CallerClaims = Omit<Identity, OfRequest | 'correlation_id'> | Omit<OperatorIdentity, OfRequest | 'correlation_id'>

/** Remembers one value per text and key. */
class Memory<T extends object> {
  private readonly byKey = new WeakMap<KeyObject, LRUCache<string, T>>()

  of(key: KeyObject): LRUCache<string, T> {
    const known = this.byKey.get(key)
    if (known) return known
    const empty = new LRUCache<string, T>({ max: REMEMBERED })
    this.byKey.set(key, empty)
    return empty
  }
}

/** A JWS (RFC 7515, compact, HS256) and its third part. */
interface SignedClaims {
  jws: string
  signature: string
}

const signedCallers = new Memory<SignedClaims>()
const verifiedCallers = new Memory<CallerClaims>()

function signClaims(key: KeyObject, text: string): SignedClaims {
  const signed = `${HEADER}.${Buffer.from(text).toString('base64url')}`
  const signature = hmacSha256(key, signed, 'base64url')
  return { jws: `${signed}.${signature}`, signature }
}

function signCaller(key: KeyObject, caller: CallerClaims): SignedClaims {
  const text = JSON.stringify(caller)
  const known = signedCallers.of(key).get(text)
  if (known) return known
  const claims = signClaims(key, text)
  signedCallers.of(key).set(text, claims)
  return claims
}

/** Returns the claims of a JWS that was signed with the key, else null. */
function openClaims(key: KeyObject, jws: string): CallerClaims | Identity | OperatorIdentity | null {
  const [header, claims, signature] = jws.split('.') as [string, string, string]
  if (header !== HEADER || !isSameDigest(signature, hmacSha256(key, `${header}.${claims}`, 'base64url'))) return null
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as ReturnType<typeof openClaims>
}

function openCaller(key: KeyObject, jws: string): CallerClaims | null {
  const known = verifiedCallers.of(key).get(jws)
  if (known) return known
  const caller: CallerClaims | null = openClaims(key, jws)
  if (caller) verifiedCallers.of(key).set(jws, caller)
  return caller
}

/** Facts about one request, none of which holds a line feed; the signature of the caller's claims stands for these. */
interface Proven {
  signature: string
  nonce: string
  content: string
  correlationId: string
  method: string
  target: string
}

const proofOf = (key: KeyObject, { signature, nonce, content, correlationId, method, target }: Proven): string =>
  hmacSha256(key, `${signature}\n${nonce}\n${content}\n${correlationId}\n${method} ${target}`, 'base64url')

/**
 * Makes the identity of one request: `<JWS>.<nonce>.<content>.<proof>`. The JWS holds the claims about the caller; it
 * is the same for many requests, so that either side makes or checks it once. The proof is a MAC over the request.
 */
function signIdentity(key: KeyObject, claims: Claims, request: IdentifiedRequest): string {
  const { correlation_id: correlationId, ...caller } = claims
  const { method, target } = request
  const { jws, signature } = signCaller(key, caller)
  const nonce = nextNonce()
  const content = contentOf(request)
  return `${jws}.${nonce}.${content}.${proofOf(key, { signature, nonce, content, correlationId, method, target })}`
}

/** Headers that vouch to a service for the caller of one request. */
export function identityHeaders(key: KeyObject, claims: Claims, request: IdentifiedRequest): Record<string, string> {
  return { [IDENTITY_HEADER]: signIdentity(key, claims, request), [CORRELATION_HEADER]: claims.correlation_id }
}

/** The same for a service of the previous release: one JWS, whose claims name the request too. */
export function wholeIdentityHeaders(
  key: KeyObject,
  claims: Claims,
  request: IdentifiedRequest,
): Record<string, string> {
  const { method, target } = request
  const whole = { ...claims, method, path: pathOf(target), content: wholeContentOf(request), nonce: nextNonce() }
  const { jws } = signClaims(key, JSON.stringify(whole))
  return { [IDENTITY_HEADER]: jws, [CORRELATION_HEADER]: claims.correlation_id }
}

/** Opens an identity of one JWS, which a gateway makes until it knows that all replicas take proofs. */
function openWhole(key: KeyObject, token: string): Identity | OperatorIdentity | null {
  const claims = openClaims(key, token)
  return claims && 'path' in claims ? claims : null
}

const PARTS_OF_JWS = 3
const PARTS = 6

function open(key: KeyObject, { method, target, headers }: ReceivedRequest): Identity | OperatorIdentity | null {
  const [token, correlationId] = [headers[IDENTITY_HEADER], headers[CORRELATION_HEADER]]
  if (typeof token !== 'string' || typeof correlationId !== 'string') return null
  const parts = token.split('.')
  if (parts.length === PARTS_OF_JWS) return openWhole(key, token)
  if (parts.length !== PARTS) return null
  const [header, claims, signature, nonce, content, proof] = parts as [string, string, string, string, string, string]
  const caller = openCaller(key, token.slice(0, header.length + claims.length + signature.length + 2))
  if (!caller) return null
  if (!isSameDigest(proof, proofOf(key, { signature, nonce, content, correlationId, method, target }))) return null
  return { ...caller, method, path: pathOf(target), content, nonce, correlation_id: correlationId }
}

/**
 * @param now Unix seconds
 * @returns the claims, or null when the identity is malformed, signed with another key, for another request or service,
 * or too old
 */
export function verifyIdentity(
  key: KeyObject,
  service: ServiceName,
  request: ReceivedRequest,
  now: number,
): Identity | OperatorIdentity | null {
  const identity = open(key, request)
  return identity !== null && identity.aud === service && identity.exp >= now ? identity : null
}

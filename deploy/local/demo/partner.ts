// A partner's side of a signed request.
import { createHash, createHmac } from 'node:crypto'
import type { FeedPage, Reservation } from '@connectivity/contracts/reservation'

/** Base path of the partner interface. */
export const BASE_PATH = '/api/connectivity/v1'

/** A credential that signs requests. */
export interface SigningKey {
  key_id: string
  signing_secret: string
}

/** Headers of a signed request. */
export interface SignedHeaders {
  'x-service-key-id': string
  'x-service-timestamp': string
  'x-service-signature': string
}

/** Parameters of a query by their names. */
export type Query = Record<string, string>

/** Options of a request. */
export interface SendOptions {
  query?: Query
  /** Body, sent as JSON. */
  body?: object
  /** Idempotency-Key of a change. */
  key?: string
  /** Timeout, ms. */
  within?: number
  /** Headers sent in addition to the signature. */
  headers?: Record<string, string>
}

/** The answer to a request. */
export interface PartnerAnswer<Body> {
  status: number
  /** Body in the shape that the caller expects for this status; undefined if it is not JSON. */
  body: Body
  headers: Headers
}

/** A connection and the credential to use it with. */
export interface SignedConnection {
  property_id: string
  signing: SigningKey
}

/** The whole feed of a connection. */
export interface PulledFeed {
  /** Status of the last answer. */
  status: number
  /** Reservations by id; undefined unless every page answers 200. */
  reservations: Map<string, Reservation> | undefined
}

/**
 * Headers that sign a request.
 * @param path without the query, the base path included
 * @param body as it is sent; '' without one
 * @param at ms since 1970: the time that is signed
 */
export function signedHeaders(
  method: string,
  path: string,
  body: string | Uint8Array,
  { key_id, signing_secret }: SigningKey,
  at = Date.now(),
): SignedHeaders {
  const timestamp = String(Math.floor(at / 1000))
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const input = [method, path, timestamp, bodyHash].join('\n')
  return {
    'x-service-key-id': key_id,
    'x-service-timestamp': timestamp,
    'x-service-signature': createHmac('sha256', signing_secret).update(input).digest('hex'),
  }
}

/** Sends one request to a path below the interface's base path. */
export async function send<Body>(
  baseUrl: string,
  method: string,
  path: string,
  signing: SigningKey,
  { query, body, key, within = 10_000, headers }: SendOptions = {},
): Promise<PartnerAnswer<Body>> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const url = `${baseUrl}${BASE_PATH}${path}${query ? `?${new URLSearchParams(query)}` : ''}`
  const answer = await fetch(url, {
    method,
    headers: {
      ...signedHeaders(method, BASE_PATH + path, text, signing),
      ...(text && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
      ...headers,
    },
    body: text || undefined,
    signal: AbortSignal.timeout(within),
  })
  const json = (await answer.json().catch(() => undefined)) as Body
  return { status: answer.status, body: json, headers: answer.headers }
}

/** Sends a GET of a path below the interface's base path. */
export const get = <Body>(
  baseUrl: string,
  path: string,
  query: Query | undefined,
  signing: SigningKey,
): Promise<PartnerAnswer<Body>> => send(baseUrl, 'GET', path, signing, { query })

/** Pulls the whole feed of a connection. */
export async function pullFeed(baseUrl: string, { property_id, signing }: SignedConnection): Promise<PulledFeed> {
  const reservations = new Map<string, Reservation>()
  for (let query: Query = { property_id, limit: '100' }; ;) {
    const { status, body } = await get<FeedPage>(baseUrl, '/reservations', query, signing)
    if (status !== 200) return { status, reservations: undefined }
    for (const reservation of body.reservations) reservations.set(reservation.reservation_id, reservation)
    const { has_more, next_cursor } = body.pagination
    if (!has_more || next_cursor === null) return { status, reservations }
    query = { property_id, cursor: next_cursor, limit: '100' }
  }
}

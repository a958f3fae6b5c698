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
  /** Path that is signed in the place of the one that is sent. */
  signedPath?: string
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
  /** Empty if the answer broke off. */
  text: string
  /** Body in the shape that the caller expects for this status; undefined if it is not JSON. */
  body: Body
  headers: Headers
}

/** A connection and the credential to use it with. */
export interface SignedConnection {
  property_id: string
  signing: SigningKey
}

/** The feed of a connection. */
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

const textOf = (body: object | undefined): string => (body === undefined ? '' : JSON.stringify(body))

const suffixOf = (query: Query | undefined): string => (query ? `?${new URLSearchParams(query)}` : '')

/** Value of a JSON text; undefined if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Sends one request.
 * @param path below the interface's base path, with or without a query
 * @param signing null sends it without a signature
 */
export async function send<Body>(
  baseUrl: string,
  method: string,
  path: string,
  signing: SigningKey | null,
  options: SendOptions = {},
): Promise<PartnerAnswer<Body>> {
  const { query, signedPath = path.split('?', 1)[0]!, body, key, within = 10_000 } = options
  const sent = textOf(body)
  const signature = signing && signedHeaders(method, BASE_PATH + signedPath, sent, signing)
  const more = { ...(sent && { 'content-type': 'application/json' }), ...(key && { 'idempotency-key': key }) }
  const answer = await fetch(baseUrl + BASE_PATH + path + suffixOf(query), {
    method,
    headers: { ...signature, ...more, ...options.headers },
    body: sent || undefined,
    signal: AbortSignal.timeout(within),
  })
  const text = await answer.text().catch(() => '')
  return { status: answer.status, text, body: parsed(text) as Body, headers: answer.headers }
}

/** Sends a GET of a path below the interface's base path. */
export const get = <Body>(
  baseUrl: string,
  path: string,
  query: Query | undefined,
  signing: SigningKey,
): Promise<PartnerAnswer<Body>> => send(baseUrl, 'GET', path, signing, { query })

/**
 * Pulls the feed of a connection to its end.
 * @param bound where to begin, such as `updated_since`; without it the whole feed
 */
export async function pullFeed(
  baseUrl: string,
  { property_id, signing }: SignedConnection,
  bound: Query = {},
): Promise<PulledFeed> {
  const reservations = new Map<string, Reservation>()
  for (let query: Query = { property_id, limit: '100', ...bound }; ;) {
    const { status, body } = await get<FeedPage>(baseUrl, '/reservations', query, signing)
    if (status !== 200) return { status, reservations: undefined }
    for (const reservation of body.reservations) reservations.set(reservation.reservation_id, reservation)
    const { has_more, next_cursor } = body.pagination
    if (!has_more || next_cursor === null) return { status, reservations }
    query = { property_id, cursor: next_cursor, limit: '100' }
  }
}

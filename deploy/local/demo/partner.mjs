// A partner's side of a signed request (api.md §1).
import { createHash, createHmac } from 'node:crypto'

/** Base path of the partner interface. */
export const BASE_PATH = '/api/connectivity/v1'

/**
 * Headers that sign a request.
 * @param {string} method
 * @param {string} path without the query, the base path included
 * @param {string | Uint8Array} body as it is sent; '' without one
 * @param {{ key_id: string, signing_secret: string }} credential
 * @param {number} [at] ms since 1970: the time that is signed
 */
export function signedHeaders(method, path, body, { key_id, signing_secret }, at = Date.now()) {
  const timestamp = String(Math.floor(at / 1000))
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const input = [method, path, timestamp, bodyHash].join('\n')
  return {
    'x-service-key-id': key_id,
    'x-service-timestamp': timestamp,
    'x-service-signature': createHmac('sha256', signing_secret).update(input).digest('hex'),
  }
}

/**
 * One request to a path below the interface's base path.
 * @param {string} baseUrl
 * @param {string} method
 * @param {string} path
 * @param {{ key_id: string, signing_secret: string }} signing
 * @param {{ query?: object, body?: object, key?: string, within?: number }} [given] `key`: Idempotency-Key of a change;
 *   `within`: timeout in ms
 * @returns {Promise<{ status: number, body: any, headers: Headers }>} body undefined if it is not JSON
 */
export async function send(baseUrl, method, path, signing, { query, body, key, within = 10_000 } = {}) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const url = `${baseUrl}${BASE_PATH}${path}${query ? `?${new URLSearchParams(query)}` : ''}`
  const answer = await fetch(url, {
    method,
    headers: {
      ...signedHeaders(method, BASE_PATH + path, text, signing),
      ...(text && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    body: text || undefined,
    signal: AbortSignal.timeout(within),
  })
  return { status: answer.status, body: await answer.json().catch(() => undefined), headers: answer.headers }
}

/** GET of a path below the interface's base path: `{ status, body }`. */
export const get = (baseUrl, path, query, signing) => send(baseUrl, 'GET', path, signing, { query })

/** The whole feed of a connection, by reservation id; undefined unless every page answers 200. */
export async function pullFeed(baseUrl, { property_id, signing }) {
  const reservations = new Map()
  for (let query = { property_id, limit: '100' }; ;) {
    const { status, body } = await get(baseUrl, '/reservations', query, signing)
    if (status !== 200) return { status, reservations: undefined }
    for (const reservation of body.reservations) reservations.set(reservation.reservation_id, reservation)
    if (!body.pagination.has_more) return { status, reservations }
    query = { property_id, cursor: body.pagination.next_cursor, limit: '100' }
  }
}

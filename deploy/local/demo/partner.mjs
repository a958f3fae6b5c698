// A partner's side of a signed request (api.md §1).
import { createHash, createHmac } from 'node:crypto'

const BASE_PATH = '/api/connectivity/v1'

function headers(method, path, { key_id, signing_secret }) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const bodyHash = createHash('sha256').update('').digest('hex')
  const input = [method, path, timestamp, bodyHash].join('\n')
  return {
    'x-service-key-id': key_id,
    'x-service-timestamp': timestamp,
    'x-service-signature': createHmac('sha256', signing_secret).update(input).digest('hex'),
  }
}

/** GET of a path below the interface's base path: `{ status, body }`. */
export async function get(baseUrl, path, query, signing) {
  const url = `${baseUrl}${BASE_PATH}${path}?${new URLSearchParams(query)}`
  const answer = await fetch(url, {
    headers: headers('GET', BASE_PATH + path, signing),
    signal: AbortSignal.timeout(10_000),
  })
  return { status: answer.status, body: await answer.json().catch(() => undefined) }
}

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

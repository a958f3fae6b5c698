// Asks the feed for pages as the gateway does, as fast as it answers.
import { createSecretKey } from 'node:crypto'
import { Pool } from 'undici'
import { signIdentity } from '../../../libs/service-kit/dist/identity-token.js'
import { FEED_PATH } from '../load.mjs'

const AT_ONCE = 8
const LIFETIME = 25_000

/** Identities by connection, each used until it is nearly over. */
export class Identities {
  #key
  #known = new Map()

  constructor(key) {
    this.#key = createSecretKey(key)
  }

  of(connectionId) {
    const known = this.#known.get(connectionId)
    if (known && known.until > Date.now()) return known.token
    const token = signIdentity(this.#key, {
      aud: 'reservation-feed',
      exp: Math.floor(Date.now() / 1000) + 30,
      application_id: 'app_bench',
      connection: { property_id: connectionId, external_property_id: 'PMS-1', state: 'production' },
      scopes: ['reservations:read'],
      method: 'GET',
      path: FEED_PATH,
      correlation_id: 'bench-bench',
    })
    this.#known.set(connectionId, { token, until: Date.now() + LIFETIME })
    return token
  }
}

/** One page, parsed. */
export async function readPage({ origin, identities }, connectionId, query) {
  const headers = { 'x-internal-identity': identities.of(connectionId) }
  const answer = await fetch(`${origin}${FEED_PATH}?property_id=${connectionId}&${query}`, { headers })
  return { status: answer.status, body: await answer.json() }
}

/**
 * Reads pages for a while.
 * @param draw gives `{ connectionId, query }` of the next one
 * @returns their number, median and 99th percentile in ms
 */
export async function readPages({ origin, identities }, draw, seconds) {
  const pool = new Pool(origin, { connections: AT_ONCE })
  const end = performance.now() + seconds * 1000
  const latencies = []
  const one = async () => {
    while (performance.now() < end) {
      const { connectionId, query } = draw()
      const begin = performance.now()
      const headers = { 'x-internal-identity': identities.of(connectionId) }
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `${FEED_PATH}?property_id=${connectionId}&${query}`,
        headers,
      })
      await body.arrayBuffer()
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`)
      latencies.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  await pool.close()
  latencies.sort((a, b) => a - b)
  return {
    count: latencies.length,
    p50: latencies[latencies.length >> 1],
    p99: latencies[Math.floor(latencies.length * 0.99)],
  }
}

// GETs over a few keep-alive connections, as fast as they are answered.
import { Pool } from 'undici'
import { BASE_PATH, signedHeaders } from '../local/demo/partner.mjs'
import { percentiles } from './statistics.mjs'

const CONNECTIONS = 8
/** Where a feed is polled. */
export const FEED_PATH = `${BASE_PATH}/reservations`

/** A signed poll with this query. */
export const signedPoll = (query, signing) => ({
  path: `${FEED_PATH}?${query}`,
  headers: signedHeaders('GET', FEED_PATH, '', signing),
})

/**
 * Sends for `seconds`. Anything but 200 throws.
 * @param {() => { path: string, headers: object }} next gives the next request
 * @returns {Promise<{ count: number, bytes: number, p50: number, p99: number }>} number of answers, size of the last one,
 *   median and 99th percentile of their latency in ms
 */
export async function load(origin, next, seconds) {
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const end = performance.now() + seconds * 1000
  const latencies = []
  let bytes = 0
  const one = async () => {
    while (performance.now() < end) {
      const begin = performance.now()
      const { statusCode, body } = await pool.request({ method: 'GET', ...next() })
      const text = await body.arrayBuffer()
      if (statusCode !== 200) throw new Error(`${statusCode}: ${Buffer.from(text)}`)
      bytes = text.byteLength
      latencies.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  await pool.close()
  const { p50, p99 } = percentiles(latencies)
  return { count: latencies.length, bytes, p50, p99 }
}

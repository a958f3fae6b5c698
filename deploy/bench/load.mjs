// Signed GETs over a few keep-alive connections, as fast as they are answered.
import { Pool } from 'undici'
import { BASE_PATH, signedHeaders } from '../local/demo/partner.mjs'

const CONNECTIONS = 8
/** Where a feed is polled. */
export const FEED_PATH = `${BASE_PATH}/reservations`

/** Headers of a signed poll. */
export const signedPoll = (signing) => signedHeaders('GET', FEED_PATH, '', signing)

/** Sends for `seconds`; resolves with the number of answers, their size and the median latency in ms. Anything but 200 throws. */
export async function load(origin, query, signing, seconds) {
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const end = performance.now() + seconds * 1000
  const latencies = []
  let bytes = 0
  const one = async () => {
    while (performance.now() < end) {
      const begin = performance.now()
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `${FEED_PATH}?${query}`,
        headers: signedPoll(signing),
      })
      const text = await body.arrayBuffer()
      if (statusCode !== 200) throw new Error(`${statusCode}: ${Buffer.from(text)}`)
      bytes = text.byteLength
      latencies.push(performance.now() - begin)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
  await pool.close()
  latencies.sort((a, b) => a - b)
  return {
    count: latencies.length,
    bytes,
    p50: latencies[latencies.length >> 1],
    p99: latencies[Math.floor(latencies.length * 0.99)],
  }
}

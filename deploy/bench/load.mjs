// Signed GETs over a few keep-alive connections, as fast as they are answered.
import { createHash, createHmac } from 'node:crypto'
import { Pool } from 'undici'

const CONNECTIONS = 8
export const PATH = '/api/connectivity/v1/reservations'
const EMPTY = createHash('sha256').digest('hex')

/** Headers of a signed poll. */
export function signed({ key_id, signing_secret }) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', signing_secret).update(`GET\n${PATH}\n${timestamp}\n${EMPTY}`).digest('hex')
  return { 'x-service-key-id': key_id, 'x-service-timestamp': timestamp, 'x-service-signature': signature }
}

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
        path: `${PATH}?${query}`,
        headers: signed(signing),
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

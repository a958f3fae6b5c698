// GETs over a few keep-alive connections, as fast as they are answered.
import { Pool } from 'undici'
import { BASE_PATH, signedHeaders, type SigningKey } from '@connectivity/toolkit/partner'
import { percentiles } from '@connectivity/toolkit/statistics'

const CONNECTIONS = 8
/** Path of a feed. */
export const FEED_PATH = `${BASE_PATH}/reservations`

/** One GET. */
export interface Poll {
  path: string
  headers: Record<string, string>
}

/** Figures of a client. */
export interface Seen {
  /** Number of answers. */
  count: number
  /** Size of the last answer. */
  bytes: number
  /** Median of the latency, ms. */
  p50: number
  /** 99th percentile of the latency, ms. */
  p99: number
}

/** A signed poll with this query. */
export const signedPoll = (query: string, signing: SigningKey): Poll => ({
  path: `${FEED_PATH}?${query}`,
  headers: { ...signedHeaders('GET', FEED_PATH, '', signing) },
})

/**
 * Sends for `seconds`. Anything but 200 throws.
 * @param next gives the next request
 */
export async function load(origin: string, next: () => Poll, seconds: number): Promise<Seen> {
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const end = performance.now() + seconds * 1000
  const latencies: number[] = []
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

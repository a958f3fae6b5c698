// The minimum that delivers: a bare loop of undici posts, signed like callbacks. No order, no database, no rules.
import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { Pool } from 'undici'
import { sendToParent } from '../forked.ts'

/** Work that the benchmark requests. */
export interface FloorWork {
  /** Origin of the receiver. */
  origin: string
  count: number
  /** Body of each post. */
  text: string
  /** Concurrent posts. */
  concurrency: number
}

const key = createSecretKey(randomBytes(32))

function headersOf(id: string, body: Buffer): Record<string, string> {
  const t = Math.floor(Date.now() / 1000)
  const mac = createHmac('sha256', key).update(`${id}.${t}.`).update(body).digest()
  return {
    'content-type': 'application/json',
    'service-event-id': id,
    'service-event-type': 'reservation.modified',
    'service-delivery-attempt': '1',
    'service-signature': `t=${t},v1=${mac.toString('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(t),
    'webhook-signature': `v1,${mac.toString('base64')}`,
  }
}

process.on('message', async (message) => {
  const { origin, count, text, concurrency } = message as FloorWork
  const pool = new Pool(origin, { connections: concurrency })
  const body = Buffer.from(text)
  let left = count
  const one = async () => {
    while (left-- > 0) {
      const answer = await pool.request({
        method: 'POST',
        path: '/floor',
        headers: headersOf(`evt_${left}`, body),
        body,
      })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  await pool.close()
  sendToParent('done')
})

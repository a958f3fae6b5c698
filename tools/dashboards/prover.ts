// A partner that proves its feeds, as the guide about digests asks for.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FeedDigest } from '@connectivity/contracts/digest'
import type { Partner } from '../faults/users/workload.ts'

const EVERY = 5_000

/** Records a digest of each partner as its own. */
async function proveOnce({ client, connection: property_id }: Partner): Promise<void> {
  const checkpoint = new Date(Date.now() - EVERY).toISOString()
  const answer = await client.try('GET', '/reservations/digest', { query: { property_id, checkpoint } })
  if (answer?.status !== 200) return
  const { rows, digest } = answer.body as FeedDigest
  await client.try('POST', '/reservations/proofs', {
    body: { property_id, checkpoint, rows, digest },
    key: randomUUID(),
  })
}

/** Proves until a time, ms since 1970. */
export async function proveUntil(end: number, partners: readonly Partner[]): Promise<void> {
  while (Date.now() < end) {
    await Promise.all(partners.map(proveOnce))
    await sleep(EVERY)
  }
}

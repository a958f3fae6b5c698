import type { DigestRow } from '@connectivity/contracts/digest'
import { bucketOf, DigestSum } from '@connectivity/contracts/digest-sum'
import { ServiceError } from '@connectivity/contracts/errors'
import { formatTimestamp } from '@connectivity/contracts/time'
import type { PollingPartner } from '@connectivity/testing/partner'
import type { CheckpointDigest } from '../../src/digest/checkpoint-digest.js'
import type { Digests } from '../../src/digest/digests.service.js'

/** The digest that a partner computes by the guide: rows up to the checkpoint, without those that have moved. */
function partnersDigest(rows: readonly DigestRow[], checkpoint: string, moved: readonly string[]): DigestSum {
  const sum = new DigestSum()
  for (const { reservation_id, updated_at, kind } of rows) {
    if (updated_at <= checkpoint && !moved.includes(reservation_id)) sum.add(updated_at, kind, reservation_id)
  }
  return sum
}

/** A fault at a partner, and the reservation that it concerns. */
interface Planted {
  rows: DigestRow[]
  id: string
}

/** One fault of every kind that a partner's side can have, at each of its rows that the digest covers. */
function plantedFaults(rows: readonly DigestRow[], covered: readonly DigestRow[]): Planted[] {
  return covered.flatMap((row) => {
    const id = row.reservation_id
    const others = rows.filter((other) => other !== row)
    const earlier = formatTimestamp(Date.parse(row.updated_at) - 1)
    const kind = row.kind === 'problem' ? 'reservation' : 'problem'
    return [
      { rows: others, id },
      { rows: [...others, { ...row, updated_at: earlier }], id },
      { rows: [...others, { ...row, kind }], id },
      { rows: [...rows, { ...row, reservation_id: `${id}-unknown` }], id: `${id}-unknown` },
    ]
  })
}

/** Refusals of a feed that has begun to be filled, or has been closed, since the partner polled. */
const SINCE_THEN = new Set(['service_unavailable', 'connection_disabled'])

/** The service's digest at a checkpoint; null when it gives none now. */
async function answerOf(digests: Digests, connectionId: string, checkpoint: string): Promise<CheckpointDigest | null> {
  try {
    return (await digests.whole(connectionId, Date.parse(checkpoint), 2)).digest
  } catch (error) {
    if (error instanceof ServiceError && SINCE_THEN.has(error.code)) return null
    throw error
  }
}

/**
 * Compares a partner that follows the algorithm with the service while other things happen: both digests are equal, and
 * differ, in the right bucket, for every fault that could be at the partner's.
 */
export async function checkDigest(digests: Digests, connectionId: string, partner: PollingPartner): Promise<void> {
  const { checkpoint } = partner
  const rows = [...partner.rows.values()]
  const answer = await answerOf(digests, connectionId, checkpoint)
  if (answer === null) return
  const { moved } = answer
  const own = partnersDigest(rows, checkpoint, moved)
  expect([own.rows, own.digest()]).toEqual([answer.rows, answer.digest()])
  const covered = rows.filter(({ reservation_id }) => !moved.includes(reservation_id))
  for (const { rows: spoilt, id } of plantedFaults(rows, covered)) {
    expect(partnersDigest(spoilt, checkpoint, moved).digest()).not.toBe(answer.digest())
    const bucket = bucketOf(id)
    const inBucket = spoilt.filter(({ reservation_id }) => bucketOf(reservation_id) === bucket)
    const ours = answer.buckets()!.find((each) => each.bucket === bucket)?.digest ?? new DigestSum().digest()
    expect(partnersDigest(inBucket, checkpoint, moved).digest()).not.toBe(ours)
  }
}

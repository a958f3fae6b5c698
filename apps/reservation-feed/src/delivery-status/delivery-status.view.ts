import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { formatTimestamp } from '@connectivity/contracts/time'
import { MOST_WAITING, type RiskyRow, type StoredStatus, type WaitingRows } from './delivery-status.store.js'

/** Facts of one moment. */
interface Facts {
  stored: Pick<StoredStatus, 'lastStamp' | 'progress' | 'proof'>
  waiting: WaitingRows
  risky: readonly RiskyRow[]
}

const timeOf = (milliseconds: number | null | undefined): string | null =>
  milliseconds === null || milliseconds === undefined ? null : formatTimestamp(milliseconds)

/** The delivery status of a connection, as partners and operators see it. */
export const shownStatus = (connectionId: string, { stored, waiting, risky }: Facts): DeliveryStatus => ({
  schema_version: SCHEMA_VERSION,
  property_id: connectionId,
  checkpoint: formatTimestamp(stored.lastStamp),
  processed_to: timeOf(stored.progress?.processedTo),
  processed_at: timeOf(stored.progress?.processedAt),
  waiting: Math.min(waiting.count, MOST_WAITING),
  waiting_is_capped: waiting.count > MOST_WAITING,
  oldest_waiting_at: timeOf(waiting.oldest),
  at_risk: risky.map(({ reservationId, checkIn, status, stamp }) => ({
    reservation_id: reservationId,
    check_in: checkIn,
    status,
    changed_at: formatTimestamp(stamp),
  })),
  last_proven_at: timeOf(stored.proof?.provenAt),
  last_proven_checkpoint: timeOf(stored.proof?.checkpoint),
})

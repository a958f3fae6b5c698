import type {
  AcknowledgementOutcome,
  AcknowledgementStatus,
  AcknowledgementWrite,
} from '@connectivity/contracts/event-index'

/** An event that the partner acknowledges, with the outcome it reported before. */
export interface KnownEvent {
  eventId: string
  sequence: string
  outcome: AcknowledgementOutcome | null
}

/** An acknowledgement to store. */
export interface Acknowledgement {
  sequence: string
  outcome: AcknowledgementOutcome
  partnerReservationId: string | null
  reason: string | null
}

/** Whether no further acknowledgement is expected. */
export const isFinal = (outcome: AcknowledgementOutcome): boolean => outcome !== 'deferred'

/** Only `deferred` may be followed by another outcome. */
const mayFollow = (before: AcknowledgementOutcome | null, now: AcknowledgementOutcome): boolean =>
  before === null || (before === 'deferred' && now !== 'deferred')

/**
 * Judges acknowledgements one by one. If a request names an event twice, the first that can be accepted counts.
 * @param known the existing events among those named, by id
 */
export function judgeAcknowledgements(
  writes: readonly AcknowledgementWrite[],
  known: ReadonlyMap<string, KnownEvent>,
): { results: { event_id: string; status: AcknowledgementStatus }[]; kept: Acknowledgement[] } {
  const kept = new Map<string, Acknowledgement>()
  const statusOf = (write: AcknowledgementWrite): AcknowledgementStatus => {
    const event = known.get(write.event_id)
    if (!event) return 'not_found'
    if (kept.has(event.sequence) || !mayFollow(event.outcome, write.outcome)) return 'already_acknowledged'
    kept.set(event.sequence, toKeep(event, write))
    return 'acknowledged'
  }
  const results = writes.map((write) => ({ event_id: write.event_id, status: statusOf(write) }))
  return { results, kept: [...kept.values()] }
}

const toKeep = (
  { sequence }: KnownEvent,
  { outcome, partner_reservation_id, reason }: AcknowledgementWrite,
): Acknowledgement => ({
  sequence,
  outcome,
  partnerReservationId: partner_reservation_id ?? null,
  reason: reason ?? null,
})

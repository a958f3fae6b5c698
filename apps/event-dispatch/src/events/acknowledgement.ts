import type {
  AcknowledgementOutcome,
  AcknowledgementStatus,
  AcknowledgementWrite,
} from '@connectivity/contracts/event-index'

/** An event that the partner speaks of, and what it said of it before. */
export interface KnownEvent {
  eventId: string
  sequence: string
  outcome: AcknowledgementOutcome | null
}

/** What is to be kept of what the partner says. */
export interface Acknowledgement {
  sequence: string
  outcome: AcknowledgementOutcome
  partnerReservationId: string | null
  reason: string | null
}

/** After it nothing more is expected. */
export const isFinal = (outcome: AcknowledgementOutcome): boolean => outcome !== 'deferred'

/** `deferred` may be followed by another outcome; everything else is final. */
const mayFollow = (before: AcknowledgementOutcome | null, now: AcknowledgementOutcome): boolean =>
  before === null || (before === 'deferred' && now !== 'deferred')

/**
 * What a partner's words come to, one by one. Of two about the same event in one request the first counts.
 * @param known the events among those named, by id
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

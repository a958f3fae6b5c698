import { cloudEventText } from '@connectivity/contracts/cloud-event'
import type { ReservationEventType } from '@connectivity/contracts/reservation-events'

/** The parts of an event that a test can choose; the rest is always the same. */
export interface EventFacts {
  connectionId?: string
  reservationId?: string
  sequence?: number
  type?: ReservationEventType
  /** Trace of its message. */
  traceparent?: string | null
}

/** The facts written into the event itself. */
type Written = Omit<Required<EventFacts>, 'traceparent'>

/** Adds defaults: the first change of RSV-1 at con_1. */
export const complete = (facts: EventFacts): Required<EventFacts> => ({
  connectionId: 'con_1',
  reservationId: 'RSV-1',
  sequence: 1,
  type: 'reservation.modified',
  traceparent: null,
  ...facts,
})

export const eventId = (connectionId: string, sequence: number): string =>
  `evt_${connectionId.replaceAll(/[^A-Za-z0-9]/g, '')}x${sequence}`

/** The envelope of an event, JSON text. */
export function envelope({ connectionId, reservationId, sequence, type }: Written): string {
  const head = {
    schema_version: '1.0.0',
    event_id: eventId(connectionId, sequence),
    type,
    property_id: connectionId,
    external_property_id: 'PMS-100',
    sequence,
    occurred_at: '2026-11-20T10:00:00.000Z',
    reservation_id: reservationId,
  }
  const reservation = `{"reservation_id":${JSON.stringify(reservationId)},"total_amount":412.50,"special_requests":"${'x'.repeat(600)}"}`
  return `${JSON.stringify(head).slice(0, -1)},"data":{"reservation":${reservation},"previous_status":null,"changes":[]}}`
}

/** An event as the feed publishes it. */
export function reservationEvent(facts: Written): string {
  const { connectionId, sequence, type, reservationId } = facts
  const id = eventId(connectionId, sequence)
  const attributes = { id, source: '/reservation-feed', type, subject: reservationId, time: '2026-11-20T10:00:00.000Z' }
  return cloudEventText(attributes, envelope(facts))
}

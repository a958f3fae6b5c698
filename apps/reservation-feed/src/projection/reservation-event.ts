import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { Topic } from '@connectivity/contracts/topics'
import type { OutboxMessage } from '@connectivity/database'
import { drawRandomBytes, newId } from '@connectivity/service-kit/text'
import type { ConnectionView } from './connection-view.js'
import type { EventChange } from './event-change.js'

interface EventFacts {
  view: Pick<ConnectionView, 'connectionId' | 'externalPropertyId'>
  reservationId: string
  sequence: number
  updatedAt: string
  /** JSON text of the reservation as the feed serves it. */
  body: string
  change: EventChange
  /** Trace of the message, if it has one. */
  traceparent?: string | null
}

const topic: Topic = 'connectivity.reservation-events.v1'

/** Builds a change's message for `connectivity.reservation-events.v1`; the reservation's bytes are the feed's. */
export function reservationEventMessage({
  view,
  reservationId,
  sequence,
  updatedAt,
  body,
  change,
  traceparent,
}: EventFacts): OutboxMessage {
  const eventId = newId('evt', drawRandomBytes(16))
  const envelope = JSON.stringify({
    schema_version: SCHEMA_VERSION,
    event_id: eventId,
    type: change.type,
    property_id: view.connectionId,
    external_property_id: view.externalPropertyId,
    sequence,
    occurred_at: updatedAt,
    reservation_id: reservationId,
  })
  const facts = JSON.stringify({ previous_status: change.previousStatus, changes: change.changes })
  const data = `${envelope.slice(0, -1)},"data":{"reservation":${body},${facts.slice(1)}}`
  const event = { id: eventId, source: '/reservation-feed', type: change.type, subject: reservationId, time: updatedAt }
  return { topic, key: view.connectionId, value: cloudEventText(event, data), traceparent }
}

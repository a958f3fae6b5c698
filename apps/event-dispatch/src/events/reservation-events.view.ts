import type { TimelineEntry } from '@connectivity/contracts/timeline'
import { timestampOf } from '@connectivity/contracts/time'
import type { EventMoment } from './reservation-event.store.js'

/** A moment of an event, as an entry of a reservation's timeline. */
export const presentMoment = ({ at, updated_at, ...moment }: EventMoment): TimelineEntry => ({
  ...moment,
  at: at.toISOString(),
  updated_at: timestampOf(updated_at),
  changes: null,
})

import type { TimelineEntry } from '@connectivity/contracts/timeline'
import { timestampOf } from '@connectivity/contracts/time'
import type { EventMoment } from './reservation-event.store.js'

export const presentMoment = ({ at, updated_at, ...moment }: EventMoment): TimelineEntry => ({
  ...moment,
  at: at.toISOString(),
  updated_at: timestampOf(updated_at),
  changes: null,
})

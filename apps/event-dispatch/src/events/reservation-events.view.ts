import type { TimelineEntry } from '@connectivity/contracts/timeline'
import type { EventMoment } from './reservation-event.store.js'

export const presentMoment = ({ at, updated_at, ...moment }: EventMoment): TimelineEntry => ({
  ...moment,
  at: at.toISOString(),
  updated_at: updated_at?.toISOString() ?? null,
  changes: null,
})

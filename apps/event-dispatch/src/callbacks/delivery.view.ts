import type { Undelivered } from './undelivered.store.js'

/** A delivery that has not arrived, as operators see it. */
export const presentDelivery = ({ event_id, connection_id, ...others }: Undelivered) => ({
  event_id,
  property_id: connection_id,
  ...others,
})

// The pilot of a lane: the partner's steps until production can be requested.
import { until } from '@connectivity/toolkit/until'
import type { LaneClient } from './lane-client.ts'
import type { Property } from './property.ts'

const PATIENCE = { within: 60_000, every: 50 }

/** External id that the pilot gives to a room or rate plan; mappings that are drawn choose among others like it. */
export const externalId = (serviceId: string, n = 0): string => `EXT-${serviceId}-${n}`

/** Maps every room and rate plan, and reads the mapping, which passes its item of the checklist. */
export async function mapEverything(client: LaneClient, { rooms, rate_plans }: Property['snapshot']): Promise<void> {
  const map = (entity_type: string, ids: string[]) =>
    ids.map((service_id) => ({ entity_type, service_id, external_id: externalId(service_id) }))
  const mappings = [
    ...map(
      'room',
      rooms.map(({ room_id }) => room_id),
    ),
    ...map(
      'rate_plan',
      rate_plans.map(({ rate_plan_id }) => rate_plan_id),
    ),
  ]
  await client.write('POST', `/properties/${client.connectionId}/mappings`, { mappings })
  await client.get(`/properties/${client.connectionId}/mappings`)
}

/**
 * Brings the property's catalog and bookings into the connection, and passes every item of the checklist on the way.
 */
export async function walkPilot(client: LaneClient, property: Property): Promise<void> {
  const wait = (what: string, check: () => Promise<boolean>) =>
    until(check, { ...PATIENCE, complaint: () => `${what} of ${property.id} did not arrive within a minute` })
  await property.publishCatalog()
  await wait('the catalog', async () => {
    const { status, text } = await client.get(`/properties/${client.connectionId}/mappings`)
    return status === 200 && (JSON.parse(text) as { unmapped: unknown[] }).unmapped.length > 0
  })
  await mapEverything(client, property.snapshot)
  await property.publishBookings()
  // Bookings that change with the mapping later would count as modified, not as new.
  await wait('the mapped bookings', async () => {
    const rows = await client.feed()
    return rows.length >= property.bookings && rows.every(({ accommodation }) => accommodation.every(isMapped))
  })
  await property.publishChanges()
  await wait('the changes', async () => (await client.feed()).length > property.bookings)
  await client.get('/properties')
  const [first] = await client.feed()
  await client.feed({ updated_since: first!.updated_at })
  await client.get('/reservations?property_id=con_of_somebody_else')
}

const isMapped = ({ external_room_id }: { external_room_id: string | null }) => external_room_id !== null

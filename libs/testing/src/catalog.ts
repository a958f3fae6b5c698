import { randomUUID } from 'node:crypto'
import { catalogEventType, type ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { ratePlan, room } from './events.js'

/** A connection's catalog with one double room and one rate plan, both unmapped. */
export const catalog = (given: Partial<ConnectionCatalog> = {}): ConnectionCatalog => ({
  connection_id: 'con_1',
  property_id: 'prop_1',
  catalog_version: 1,
  property_version: 1,
  mapping_version: 0,
  external_property_id: 'PMS-100',
  name: 'Harbour Hotel',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  country: 'DE',
  rooms: [catalogRoom('rm_double')],
  rate_plans: [
    {
      ...ratePlan(),
      service_id: 'rp_flex',
      external_id: null,
      room_service_ids: ['rm_double'],
      derived_from: null,
      updated_at: '',
    },
  ],
  ...given,
})

/** A room of a catalog. @param externalId null while it is not mapped */
export const catalogRoom = (id: string, externalId: string | null = null): ConnectionCatalog['rooms'][number] => ({
  ...room(),
  service_id: id,
  external_id: externalId,
  updated_at: '',
})

/** The catalog service's message about it. */
export function catalogMessage(given: Partial<ConnectionCatalog> = {}): { key: string; value: string } {
  const data = catalog(given)
  const event = {
    id: randomUUID(),
    source: '/catalog',
    type: catalogEventType,
    subject: data.connection_id,
    time: new Date().toISOString(),
  }
  return { key: data.connection_id, value: cloudEventText(event, JSON.stringify(data)) }
}

import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { propertyCatalog } from './catalogs/property-catalog.js'
import { dayOf } from './calendar/calendar.js'
import { rejection } from './judgement/fault.js'
import { judge } from './judgement/judgement.js'

const entity = { status: 'active', updated_at: '2026-11-20T10:00:00.000Z' } as const
const catalog: ConnectionCatalog = {
  connection_id: 'con_1',
  property_id: 'prop_1',
  catalog_version: 1,
  property_version: 1,
  mapping_version: 1,
  external_property_id: 'PMS-100',
  name: 'Harbour Hotel',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  country: 'DE',
  rooms: [
    {
      ...entity,
      service_id: 'rm_double',
      external_id: 'DBL',
      name: 'Double',
      kind: 'private',
      total_units: 3,
      beds_per_unit: null,
      bed_type: null,
      occupancy: { base: 2, max: 2, max_adults: 2, max_children: 0 },
    },
  ],
  rate_plans: [
    {
      ...entity,
      service_id: 'rp_flex',
      external_id: 'FLEX',
      name: 'Flexible',
      room_service_ids: ['rm_double'],
      currency: 'EUR',
      pricing_model: 'per_room',
      occupancies: null,
      derived_from: null,
      meal_plan: null,
      refundable: true,
      tax_inclusive: true,
    },
  ],
}

function refused(given: Partial<AriUpdateWrite>, currency?: string): Error {
  const update = { external_room_id: 'DBL', date_from: '2026-12-01', date_to: '2026-12-31', ...given }
  const body = { property_id: 'con_1', updates: [update], ...(currency !== undefined && { currency }) }
  return rejection(judge(body, propertyCatalog(catalog), dayOf('2026-11-20')).faults)
}

const priced = { external_rate_plan_id: 'FLEX', rates: [{ amount: '98.00' }] }

/**
 * Refusals of this service, for the OpenAPI document; each function returns or throws one. Only the documentation
 * generator imports this file.
 */
export const errorSamples: readonly (() => unknown)[] = [
  () => refused({ date_from: '2026-11-19', availability: 3 }),
  () => refused(priced),
  () => refused(priced, 'USD'),
]

import type { CatalogRatePlan, CatalogRoom, ConnectionCatalog } from '@connectivity/contracts/catalog-events'

const UPDATED_AT = '2026-11-20T10:00:00.000Z'

export const catalogRoom = (service_id: string, given: Partial<CatalogRoom> = {}): CatalogRoom => ({
  service_id,
  external_id: null,
  name: service_id,
  kind: 'private',
  total_units: 10,
  beds_per_unit: null,
  bed_type: null,
  occupancy: { base: 2, max: 3, max_adults: 3, max_children: 1 },
  status: 'active',
  updated_at: UPDATED_AT,
  ...given,
})

export const catalogRatePlan = (service_id: string, given: Partial<CatalogRatePlan> = {}): CatalogRatePlan => ({
  service_id,
  external_id: null,
  name: service_id,
  room_service_ids: ['rm_1', 'rm_2', 'rm_3'],
  currency: 'EUR',
  pricing_model: 'per_room',
  occupancies: null,
  derived_from: null,
  meal_plan: null,
  refundable: true,
  tax_inclusive: true,
  status: 'active',
  updated_at: UPDATED_AT,
  ...given,
})

/** A catalog with three rooms, one unmapped, and a rate plan of every kind; `rm_old` and `rp_old` are archived. */
export const connectionCatalog = (given: Partial<ConnectionCatalog> = {}): ConnectionCatalog => ({
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
    catalogRoom('rm_1', { external_id: 'R1' }),
    catalogRoom('rm_2', { external_id: 'R2' }),
    catalogRoom('rm_3'),
    catalogRoom('rm_old', { external_id: 'OLD', status: 'archived' }),
  ],
  rate_plans: [
    catalogRatePlan('rp_flex', { external_id: 'FLEX' }),
    catalogRatePlan('rp_occ', {
      external_id: 'OCC',
      room_service_ids: ['rm_1', 'rm_2'],
      pricing_model: 'per_occupancy',
      occupancies: [1, 2, 3],
    }),
    catalogRatePlan('rp_saver', {
      external_id: 'SAVER',
      derived_from: { service_id: 'rp_flex', type: 'percent', value: '-10' },
    }),
    catalogRatePlan('rp_jpy', { external_id: 'YEN', currency: 'JPY' }),
    catalogRatePlan('rp_kwd', { external_id: 'DINAR', currency: 'KWD' }),
    catalogRatePlan('rp_odd', { external_id: 'ODD', currency: 'QQQ' }),
    catalogRatePlan('rp_old', { external_id: 'OLD', status: 'archived' }),
  ],
  ...given,
})

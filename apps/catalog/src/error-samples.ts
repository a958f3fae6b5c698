import { checkVersion, writeForbidden } from './calls/mapping-writer.service.js'
import { changesOf } from './mappings/mapping-rules.js'
import type { PropertySnapshot } from './properties/property-snapshot.js'

const room = {
  name: 'Double',
  kind: 'private',
  total_units: 3,
  beds_per_unit: null,
  bed_type: null,
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 0 },
  status: 'active',
  updated_at: '2026-11-20T10:00:00.000Z',
} as const
const property: PropertySnapshot = {
  property_id: 'prop_1',
  version: 1,
  name: 'Harbour Hotel',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  country: 'DE',
  rooms: [
    { ...room, room_id: 'rm_double' },
    { ...room, room_id: 'rm_twin' },
  ],
  rate_plans: [],
}
const mapped = [{ entity_type: 'room', service_id: 'rm_twin', external_id: 'DBL' }] as const
const mapping = (service_id: string) => ({ entity_type: 'room', service_id, external_id: 'DBL' }) as const

/**
 * Refusals of this service, for the OpenAPI document; each function returns or throws one. Only the documentation
 * generator imports this file.
 */
export const errorSamples: readonly (() => unknown)[] = [
  () => writeForbidden(),
  () => checkVersion(12, 13),
  () => changesOf([mapping('rm_missing')], [], property),
  () => changesOf([mapping('rm_double')], [...mapped], property),
]

import type { MappingList, MappingsWrite, MappingsWritten } from '@connectivity/contracts/mappings'
import type { PropertyList } from '@connectivity/contracts/properties'
import type { RatePlanList, RoomList } from '@connectivity/contracts/catalog-lists'
import type { CallText } from '../call-text.js'
import { external_property_id, property_id, schema_version } from './samples.js'

const list = {
  schema_version,
  properties: [
    {
      property_id,
      external_property_id,
      name: 'Harbour Hotel',
      state: 'pilot',
      environment: 'sandbox',
      timezone: 'Europe/Berlin',
      currency: 'EUR',
      country: 'DE',
      capabilities: ['reservations:read', 'mappings:read', 'mappings:write'],
      mapping: { version: 12, rooms_mapped: 1, rooms_total: 2, rate_plans_mapped: 1, rate_plans_total: 1 },
      feed: {
        last_change_at: '2026-11-20T10:15:30.123Z',
        last_polled_at: '2026-11-20T10:16:00.000Z',
        waiting: 0,
        last_proven_at: '2026-11-20T03:00:00.000Z',
      },
      created_at: '2026-11-01T09:00:00.000Z',
      disabled_at: null,
      disabled_reason: null,
    },
  ],
} satisfies PropertyList

const mappings = {
  schema_version,
  property_id,
  external_property_id,
  mapping_version: 12,
  mappings: [
    { entity_type: 'property', service_id: property_id, external_id: external_property_id },
    { entity_type: 'room', service_id: 'rm_double', external_id: 'DBL' },
    { entity_type: 'rate_plan', service_id: 'rp_flex', external_id: 'FLEX' },
  ],
  unmapped: [{ entity_type: 'room', service_id: 'rm_twin', name: 'Twin' }],
} satisfies MappingList

const write = {
  mappings: [
    { entity_type: 'room', service_id: 'rm_twin', external_id: 'TWN' },
    { entity_type: 'rate_plan', service_id: 'rp_old', external_id: null },
  ],
  expected_version: 12,
} satisfies MappingsWrite

const written = {
  ...mappings,
  mapping_version: 13,
  mappings: [...mappings.mappings, { entity_type: 'room', service_id: 'rm_twin', external_id: 'TWN' }],
  unmapped: [],
  changed: 1,
} satisfies MappingsWritten

const rooms = {
  schema_version,
  property_id,
  rooms: [
    {
      service_id: 'rm_double',
      external_id: 'DBL',
      name: 'Double',
      kind: 'private',
      total_units: 10,
      beds_per_unit: null,
      bed_type: 'double',
      occupancy: { base: 2, max: 3, max_adults: 2, max_children: 1 },
      status: 'active',
      updated_at: '2026-11-01T09:00:00.000Z',
    },
  ],
} satisfies RoomList

const ratePlans = {
  schema_version,
  property_id,
  rate_plans: [
    {
      service_id: 'rp_flex',
      external_id: 'FLEX',
      name: 'Flexible',
      room_service_ids: ['rm_double'],
      currency: 'EUR',
      pricing_model: 'per_occupancy',
      occupancies: [1, 2],
      derived_from: null,
      writable: true,
      meal_plan: 'breakfast',
      refundable: true,
      tax_inclusive: true,
      status: 'active',
      updated_at: '2026-11-01T09:00:00.000Z',
    },
    {
      service_id: 'rp_saver',
      external_id: null,
      name: 'Saver',
      room_service_ids: ['rm_double'],
      currency: 'EUR',
      pricing_model: 'per_room',
      occupancies: null,
      derived_from: { service_id: 'rp_flex', type: 'percent', value: '-10' },
      writable: false,
      meal_plan: null,
      refundable: false,
      tax_inclusive: true,
      status: 'active',
      updated_at: '2026-11-01T09:00:00.000Z',
    },
  ],
} satisfies RatePlanList

export const propertyCalls: Record<string, CallText> = {
  'GET /properties': {
    operationId: 'listProperties',
    tag: 'Properties',
    summary: 'List property connections',
    description:
      'Every connection that this credential may use, disabled ones included, with its state, its mapping and the activity of its feed.',
    answers: [
      {
        status: 200,
        description: 'Your connections, in the order of their ids.',
        type: 'PropertyList',
        examples: { one: { summary: 'One connection in pilot', value: list } },
      },
    ],
  },
  'GET /properties/{id}/mappings': {
    operationId: 'listMappings',
    tag: 'Catalog',
    summary: 'List mappings',
    description:
      'Every mapped entity, and every active room and rate plan that is still unmapped. The property itself is one record.',
    tagged: true,
    answers: [
      {
        status: 200,
        description: 'The mapping. Its ETag is `"map-<mapping_version>"`.',
        type: 'MappingList',
        examples: { partly: { summary: 'One room is still unmapped', value: mappings } },
      },
    ],
  },
  'POST /properties/{id}/mappings': {
    operationId: 'writeMappings',
    tag: 'Catalog',
    summary: 'Write mappings',
    description:
      'Sets or, with null, removes your ids of up to 500 rooms and rate plans of a sandbox connection, all or nothing. Only the end state counts: two entities may swap their ids. Reservations that a change touches get a new `updated_at` and appear in the feed again with the new ids.',
    requests: { write: { summary: 'Map a room, unmap a rate plan', value: write } },
    answers: [
      {
        status: 200,
        description: 'The mapping after the write.',
        type: 'MappingsWritten',
        headers: ['ETag'],
        examples: { written: { summary: 'One entity changed', value: written } },
      },
    ],
    errors: ['mapping_write_forbidden', 'entity_not_found', 'mapping_conflict', 'version_conflict'],
  },
  'GET /catalog/rooms': {
    operationId: 'listRooms',
    tag: 'Catalog',
    summary: 'List rooms',
    description:
      'All rooms of the property, archived ones included. Empty until the property’s first catalog has arrived.',
    tagged: true,
    answers: [
      {
        status: 200,
        description: 'The rooms.',
        type: 'RoomList',
        examples: { one: { summary: 'A mapped room', value: rooms } },
      },
    ],
  },
  'GET /catalog/rate-plans': {
    operationId: 'listRatePlans',
    tag: 'Catalog',
    summary: 'List rate plans',
    description:
      'All rate plans of the property, archived ones included. `writable` says whether POST /ari takes rates for it. Empty until the property’s first catalog has arrived.',
    tagged: true,
    answers: [
      {
        status: 200,
        description: 'The rate plans.',
        type: 'RatePlanList',
        examples: { two: { summary: 'A plan priced per occupancy, and one derived from it', value: ratePlans } },
      },
    ],
  },
}

import { parseCatalogEvent } from '@connectivity/contracts/catalog-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { connection, property, ratePlan, room } from '@connectivity/testing/events'
import { takeVersions } from '../properties/property-snapshot.js'
import { connectionCatalog } from './connection-catalog.js'

const at = '2026-11-20T10:00:00.000Z'
const derived = ratePlan({
  rate_plan_id: 'rp_saver',
  derived_from: { rate_plan_id: 'rp_flex', type: 'percent', value: '-10' },
})
const rooms = [room(), room({ room_id: 'rm_dorm', kind: 'dorm' })]
const snapshot = takeVersions(null, [property({ rooms, rate_plans: [ratePlan(), derived] })], at)!.snapshot
const versions = { catalog_version: 7, mapping_version: 3 }

describe("a connection's catalog", () => {
  it('has null where nothing is mapped and the code agreed for the property', () => {
    const catalog = connectionCatalog(connection(), snapshot, [], versions)
    expect(catalog).toMatchObject({ ...versions, property_version: 1, external_property_id: 'PMS-100' })
    expect(catalog.rooms).toMatchObject([
      { service_id: 'rm_double', external_id: null, updated_at: at },
      { service_id: 'rm_dorm', external_id: null },
    ])
    expect(catalog.rate_plans).toMatchObject([
      { service_id: 'rp_flex', external_id: null, room_service_ids: ['rm_double'], derived_from: null },
      { service_id: 'rp_saver', derived_from: { service_id: 'rp_flex', type: 'percent', value: '-10' } },
    ])
  })

  it("shows the partner's ids, each for its own kind of entity", () => {
    const mappings = [
      { entity_type: 'room', service_id: 'rm_dorm', external_id: 'D1' },
      { entity_type: 'rate_plan', service_id: 'rp_flex', external_id: 'BAR' },
      { entity_type: 'rate_plan', service_id: 'rm_double', external_id: 'not a room' },
    ] as const
    const catalog = connectionCatalog(connection(), snapshot, mappings, versions)
    expect(catalog.rooms.map(({ external_id }) => external_id)).toEqual([null, 'D1'])
    expect(catalog.rate_plans.map(({ external_id }) => external_id)).toEqual(['BAR', null])
  })

  it('passes the contract', () => {
    const catalog = connectionCatalog(connection(), snapshot, [], versions)
    const event = { id: '1', source: '/catalog', type: 't', subject: 'con_1', time: at }
    expect(parseCatalogEvent(Buffer.from(cloudEventText(event, JSON.stringify(catalog))))).toEqual(catalog)
  })
})

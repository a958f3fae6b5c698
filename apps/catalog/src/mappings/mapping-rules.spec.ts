import { ServiceError } from '@connectivity/contracts/errors'
import type { MappingWrite } from '@connectivity/contracts/mappings'
import { checkNamedOnce } from '@connectivity/contracts/mutation-rules'
import { property, ratePlan, room } from '@connectivity/testing/events'
import { takeVersions } from '../properties/property-snapshot.js'
import type { Mapping } from './mapping.js'
import { mappingList } from './mapping-list.view.js'
import { changesOf, effectOf } from './mapping-rules.js'

const rooms = [
  room({ room_id: 'r1', name: 'One' }),
  room({ room_id: 'r2', name: 'Two' }),
  room({ room_id: 'r3', status: 'archived' }),
]
const snapshot = takeVersions(
  null,
  [property({ rooms, rate_plans: [ratePlan({ rate_plan_id: 'p1', name: 'Flex' })] })],
  't',
)!.snapshot
const mapped = (service_id: string, external_id: string): Mapping => ({ entity_type: 'room', service_id, external_id })
const item = (
  service_id: string,
  external_id: string | null,
  entity_type: MappingWrite['entity_type'] = 'room',
): MappingWrite => ({
  entity_type,
  service_id,
  external_id,
})
const refused = (code: string, ...pointers: string[]) =>
  expect.objectContaining({ code, details: pointers.map((pointer) => expect.objectContaining({ pointer })) })

describe('a mapping write', () => {
  it('changes only what differs', () => {
    expect(changesOf([item('r1', 'A'), item('r2', 'B')], [mapped('r1', 'A')], snapshot)).toEqual({
      set: [item('r2', 'B')],
      unset: [],
    })
    expect(changesOf([item('r1', null), item('r2', null)], [mapped('r1', 'A')], snapshot)).toEqual({
      set: [],
      unset: [{ entity_type: 'room', service_id: 'r1' }],
    })
  })

  it('gives the audit the changed entities before and after', () => {
    const before = [mapped('r1', 'A'), mapped('r3', 'C')]
    const change = changesOf([item('r1', null), item('r2', 'B'), item('r3', 'C')], before, snapshot)
    expect(effectOf(change, before)).toEqual({
      before: { mappings: [item('r2', null), item('r1', 'A')] },
      after: { mappings: [item('r2', 'B'), item('r1', null)] },
    })
  })

  it('lets two entities swap their ids, and entities of different types share one', () => {
    const swap = [item('r1', 'B'), item('r2', 'A')]
    expect(changesOf(swap, [mapped('r1', 'A'), mapped('r2', 'B')], snapshot).set).toEqual(swap)
    expect(changesOf([item('p1', 'A', 'rate_plan')], [mapped('r1', 'A')], snapshot).set).toHaveLength(1)
  })

  it('is refused with every fault when an id is taken in the end state', () => {
    expect(() => changesOf([item('r2', 'A')], [mapped('r1', 'A')], snapshot)).toThrow(
      refused('mapping_conflict', '/mappings/0/external_id'),
    )
    expect(() => changesOf([item('r1', 'X'), item('r2', 'X')], [], snapshot)).toThrow(
      refused('mapping_conflict', '/mappings/0/external_id', '/mappings/1/external_id'),
    )
    expect(() => changesOf([item('r2', 'C')], [mapped('r3', 'C')], snapshot)).toThrow(
      refused('mapping_conflict', '/mappings/0/external_id'),
    )
  })

  it('is refused for unknown entities, and before the property has arrived', () => {
    const unknown = [item('r1', 'A'), item('gone', 'B'), item('r1', 'C', 'rate_plan')]
    expect(() => changesOf(unknown, [], snapshot)).toThrow(
      refused('entity_not_found', '/mappings/1/service_id', '/mappings/2/service_id'),
    )
    expect(() => changesOf([item('r1', 'A')], [], null)).toThrow(refused('entity_not_found', '/mappings/0/service_id'))
  })

  it('may remove the id of an archived entity, but not give it one', () => {
    expect(changesOf([item('r3', null)], [mapped('r3', 'C')], snapshot).unset).toHaveLength(1)
    expect(changesOf([item('r3', 'C')], [mapped('r3', 'C')], snapshot)).toEqual({ set: [], unset: [] })
    expect(() => changesOf([item('r3', 'D')], [mapped('r3', 'C')], snapshot)).toThrow(
      refused('entity_not_found', '/mappings/0/service_id'),
    )
  })

  it('may name each entity only once', () => {
    expect(() => checkNamedOnce([item('r1', 'A'), item('r1', 'A', 'rate_plan')])).not.toThrow()
    expect(() => checkNamedOnce([item('r1', 'A'), item('r1', null)])).toThrow(ServiceError)
    expect(() => checkNamedOnce([item('r1', 'A'), item('r1', null)])).toThrow(refused('invalid_request', '/mappings/1'))
  })
})

describe('the list of mappings', () => {
  it('holds the property itself, keeps archived entities, and names unmapped ones', () => {
    const listed = { connectionId: 'con_1', externalPropertyId: 'PMS-100', mappingVersion: 3, property: snapshot }
    expect(mappingList({ ...listed, mappings: [mapped('r1', 'A'), mapped('r3', 'C')] })).toEqual({
      schema_version: '1.0.0',
      property_id: 'con_1',
      external_property_id: 'PMS-100',
      mapping_version: 3,
      mappings: [
        { entity_type: 'property', service_id: 'con_1', external_id: 'PMS-100' },
        mapped('r1', 'A'),
        mapped('r3', 'C'),
      ],
      unmapped: [
        { entity_type: 'room', service_id: 'r2', name: 'Two' },
        { entity_type: 'rate_plan', service_id: 'p1', name: 'Flex' },
      ],
    })
  })
})

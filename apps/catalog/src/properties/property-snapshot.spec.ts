import { property, ratePlan, room } from '@connectivity/testing/events'
import { type PropertySnapshot, takeVersions } from './property-snapshot.js'

const first = '2026-11-20T10:00:00.000Z'
const later = '2026-11-21T10:00:00.000Z'

const known = (): PropertySnapshot => takeVersions(null, [property()], first)!.snapshot

describe('versions of a property', () => {
  it('are ignored when lower than or equal to the known one', () => {
    const changed = property({ name: 'Other' })
    expect(takeVersions(known(), [changed, { ...changed, version: 0 }], later)).toBeNull()
  })

  it('store a higher version that changes nothing, and report no difference', () => {
    const change = takeVersions(known(), [property({ version: 2 })], later)
    expect(change).toEqual({ snapshot: { ...known(), version: 2 }, differs: false, relisted: false })
  })

  it.each([
    [{ rooms: [room({ total_units: 11 })] }, false],
    [{ rooms: [room({ name: 'Twin' })] }, true],
    [{ rooms: [room({ status: 'archived' })] }, true],
    [{ rate_plans: [] }, true],
  ] as const)('with %j change the list of entities to map: %s', (given, relisted) => {
    const version = property({ version: 2, ...(given as object) })
    expect(takeVersions(known(), [version], later)).toMatchObject({ differs: true, relisted })
  })

  it('change `updated_at` only of rooms and plans whose content changed', () => {
    const rooms = [room({ total_units: 11 }), room({ room_id: 'rm_new' })]
    const { snapshot, differs } = takeVersions(known(), [property({ version: 2, rooms })], later)!
    expect(differs).toBe(true)
    expect(snapshot.rooms.map(({ room_id, updated_at }) => [room_id, updated_at])).toEqual([
      ['rm_double', later],
      ['rm_new', later],
    ])
    expect(snapshot.rate_plans[0]!.updated_at).toBe(first)
  })

  it('archive what is absent, once, and restore it when it returns', () => {
    const without = takeVersions(known(), [property({ version: 2, rooms: [], rate_plans: [] })], later)!.snapshot
    expect(without.rooms).toEqual([{ ...room({ status: 'archived' }), updated_at: later }])
    expect(without.rate_plans).toEqual([{ ...ratePlan({ status: 'archived' }), updated_at: later }])
    const still = takeVersions(
      without,
      [property({ version: 3, rooms: [], rate_plans: [] })],
      '2026-11-22T10:00:00.000Z',
    )!
    expect(still.differs).toBe(false)
    const back = takeVersions(without, [property({ version: 3 })], '2026-11-22T10:00:00.000Z')!
    expect(back.snapshot.rooms).toEqual([{ ...room(), updated_at: '2026-11-22T10:00:00.000Z' }])
  })

  it('keep a room that only a superseded version had', () => {
    const versions = [property({ version: 2, rooms: [room({ room_id: 'rm_brief' })] }), property({ version: 3 })]
    const { snapshot } = takeVersions(null, versions, later)!
    expect(snapshot.rooms.map(({ room_id, status }) => [room_id, status])).toEqual([
      ['rm_double', 'active'],
      ['rm_brief', 'archived'],
    ])
  })

  it('list a room that was given twice only once, as given last', () => {
    const rooms = [room({ name: 'One' }), room({ name: 'Two' })]
    const { snapshot } = takeVersions(null, [property({ rooms })], first)!
    expect(snapshot.rooms.map(({ name }) => name)).toEqual(['Two'])
  })
})

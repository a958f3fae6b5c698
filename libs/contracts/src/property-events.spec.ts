import fc from 'fast-check'
import { ContractViolation } from './contract-violation.js'
import { parsePropertyEvent } from './property-events.js'

const room = {
  room_id: 'rm_1',
  name: 'Double',
  kind: 'private',
  total_units: 10,
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 1 },
}
const plan = {
  rate_plan_id: 'rp_1',
  name: 'Flexible',
  room_ids: ['rm_1'],
  currency: 'EUR',
  pricing_model: 'per_room',
}
const least = {
  property_id: 'prop_1',
  version: 1,
  name: 'Harbour Hotel',
  timezone: 'Europe/Berlin',
  currency: 'EUR',
  country: 'DE',
  rooms: [room],
  rate_plans: [plan],
}

const parse = (given: object = {}) => parsePropertyEvent(Buffer.from(JSON.stringify({ data: { ...least, ...given } })))
const parseRoom = (given: object) => parse({ rooms: [{ ...room, ...given }] }).rooms[0]
const parsePlan = (given: object) => parse({ rate_plans: [{ ...plan, ...given }] }).rate_plans[0]

describe('property events', () => {
  it('give absent fields their defaults', () => {
    expect(parse()).toEqual({
      ...least,
      rooms: [{ ...room, beds_per_unit: null, bed_type: null, status: 'active' }],
      rate_plans: [
        {
          ...plan,
          ...{ occupancies: null, derived_from: null, meal_plan: null, refundable: null, tax_inclusive: null },
          status: 'active',
        },
      ],
    })
  })

  it('carry derived and per-occupancy plans', () => {
    const derived_from = { rate_plan_id: 'rp_1', type: 'percent', value: '-10' }
    expect(parsePlan({ derived_from, pricing_model: 'per_occupancy', occupancies: [1, 2] })).toMatchObject({
      derived_from,
      occupancies: [1, 2],
    })
  })

  it.each<[string, () => unknown]>([
    ['/data/property_id', () => parse({ property_id: 7 })],
    ['/data/property_id', () => parse({ property_id: 'prop\0' })],
    ['/data/version', () => parse({ version: '1' })],
    ['/data/timezone', () => parse({ timezone: null })],
    ['/data/rooms', () => parse({ rooms: null })],
    ['/data/rooms/0', () => parse({ rooms: ['rm_1'] })],
    ['/data/rooms/0/room_id', () => parseRoom({ room_id: 'a\x1f' })],
    ['/data/rooms/0/room_id', () => parseRoom({ room_id: 'rm\0' })],
    ['/data/rooms/0/room_id', () => parseRoom({ room_id: 'rm\ud83d' })],
    ['/data/rooms/0/kind', () => parseRoom({ kind: 'suite' })],
    ['/data/rooms/0/total_units', () => parseRoom({ total_units: -1 })],
    ['/data/rooms/0/occupancy', () => parseRoom({ occupancy: null })],
    ['/data/rooms/0/occupancy/max', () => parseRoom({ occupancy: { ...room.occupancy, max: '2' } })],
    ['/data/rooms/0/status', () => parseRoom({ status: 'deleted' })],
    ['/data/rate_plans/0/room_ids', () => parsePlan({ room_ids: 'rm_1' })],
    ['/data/rate_plans/0/room_ids/1', () => parsePlan({ room_ids: ['rm_1', 'rm\0'] })],
    ['/data/rate_plans/0/rate_plan_id', () => parsePlan({ rate_plan_id: 'rp\udc00' })],
    [
      '/data/rate_plans/0/derived_from/rate_plan_id',
      () => parsePlan({ derived_from: { rate_plan_id: 'rp\0', type: 'amount', value: '1' } }),
    ],
    ['/data/rate_plans/0/pricing_model', () => parsePlan({ pricing_model: 'per_person' })],
    ['/data/rate_plans/0/occupancies/1', () => parsePlan({ occupancies: [1, '2'] })],
    ['/data/rate_plans/0/derived_from/value', () => parsePlan({ derived_from: { rate_plan_id: 'x', type: 'amount' } })],
  ])('that are wrong at %s are dead letters that name the place', (pointer, read) => {
    expect(read).toThrow(ContractViolation)
    expect(read).toThrow(new RegExp(`^${pointer} `))
  })

  it('are read or break the contract, nothing else', () => {
    const names = fc.constantFrom(...Object.keys({ ...least, ...room, ...plan }), 'derived_from', 'occupancies')
    fc.assert(
      fc.property(names, fc.jsonValue(), (name, value) => {
        for (const read of [parse, parseRoom, parsePlan]) {
          try {
            read({ [name]: value })
          } catch (error) {
            expect(error).toBeInstanceOf(ContractViolation)
          }
        }
      }),
    )
  })
})

// The two demo properties as the booking engine publishes them: full snapshots, with prices per night.
import type { Property, RatePlan, Room } from '@connectivity/contracts/property-events'

/** A demo property with its initial bookings and prices. */
export interface DemoProperty {
  snapshot: Property
  /** Number of initial bookings. */
  bookings: number
  /** Number in the first booking's id. */
  firstReservation: number
  /** Price of a unit and night of each room, minor units of the property's currency. */
  nightly: Record<string, number>
}

/** Guests of a room: included in the price, maximum, maximum of adults, maximum of children. */
type Occupancy = [base: number, max: number, adults: number, children: number]

const room = (
  room_id: string,
  name: string,
  kind: Room['kind'],
  units: number,
  beds: number,
  bedType: string,
  [base, max, adults, children]: Occupancy,
): Room => ({
  room_id,
  name,
  kind,
  total_units: units,
  beds_per_unit: beds,
  bed_type: bedType,
  occupancy: { base, max, max_adults: adults, max_children: children },
  status: 'active',
})

const plan = (
  currency: string,
  rate_plan_id: string,
  name: string,
  room_ids: string[],
  more: Partial<RatePlan> = {},
): RatePlan => ({
  rate_plan_id,
  name,
  room_ids,
  currency,
  pricing_model: 'per_room',
  occupancies: null,
  derived_from: null,
  meal_plan: 'room_only',
  refundable: true,
  tax_inclusive: true,
  status: 'active',
  ...more,
})

const tenPercentLess = (rate_plan_id: string): Partial<RatePlan> => ({
  derived_from: { rate_plan_id, type: 'percent', value: '-10' },
  refundable: false,
})

const lisbonPrivate = ['rm_aurora_single', 'rm_aurora_double', 'rm_aurora_twin', 'rm_aurora_family']
const lisbonDorms = ['rm_aurora_dorm_6', 'rm_aurora_dorm_8_female']

const aurora: Property = {
  property_id: 'prop_demo_1',
  version: 1,
  name: 'Aurora Guesthouse',
  timezone: 'Europe/Lisbon',
  currency: 'EUR',
  country: 'PT',
  rooms: [
    room('rm_aurora_single', 'Single Room', 'private', 4, 1, 'single', [1, 1, 1, 0]),
    room('rm_aurora_double', 'Double Room with Balcony', 'private', 8, 1, 'double', [2, 3, 2, 1]),
    room('rm_aurora_twin', 'Twin Room', 'private', 6, 2, 'single', [2, 2, 2, 1]),
    room('rm_aurora_family', 'Family Room', 'private', 3, 3, 'mixed', [3, 5, 3, 3]),
    room('rm_aurora_dorm_6', '6-Bed Mixed Dorm', 'dorm', 4, 6, 'bunk', [1, 1, 1, 0]),
    room('rm_aurora_dorm_8_female', '8-Bed Female Dorm', 'dorm', 2, 8, 'bunk', [1, 1, 1, 0]),
  ],
  rate_plans: [
    plan('EUR', 'rp_aurora_flex', 'Flexible', lisbonPrivate),
    plan('EUR', 'rp_aurora_saver', 'Non-refundable', lisbonPrivate, tenPercentLess('rp_aurora_flex')),
    plan('EUR', 'rp_aurora_breakfast', 'Flexible with Breakfast', lisbonPrivate, {
      pricing_model: 'per_occupancy',
      occupancies: [1, 2, 3],
      meal_plan: 'breakfast',
    }),
    plan('EUR', 'rp_aurora_bed', 'Bed in Dorm', lisbonDorms),
    plan('EUR', 'rp_aurora_bed_saver', 'Bed in Dorm, non-refundable', lisbonDorms, tenPercentLess('rp_aurora_bed')),
  ],
}

const tokyoPrivate = ['rm_hoshi_double', 'rm_hoshi_tatami']
const tokyoDorms = ['rm_hoshi_capsule']

const hoshi: Property = {
  property_id: 'prop_demo_2',
  version: 1,
  name: '星 Hoshi Capsule & Rooms',
  timezone: 'Asia/Tokyo',
  currency: 'JPY',
  country: 'JP',
  rooms: [
    room('rm_hoshi_double', 'Small Double', 'private', 10, 1, 'double', [2, 2, 2, 1]),
    room('rm_hoshi_tatami', 'Tatami Room 和室', 'private', 4, 4, 'futon', [2, 4, 4, 2]),
    room('rm_hoshi_capsule', 'Capsule', 'dorm', 2, 20, 'capsule', [1, 1, 1, 0]),
  ],
  rate_plans: [
    plan('JPY', 'rp_hoshi_standard', 'Standard', tokyoPrivate),
    plan('JPY', 'rp_hoshi_early', 'Early Bird', tokyoPrivate, tenPercentLess('rp_hoshi_standard')),
    plan('JPY', 'rp_hoshi_capsule', 'Capsule', tokyoDorms),
  ],
}

/** The demo properties. */
export const properties: DemoProperty[] = [
  {
    snapshot: aurora,
    bookings: 120,
    firstReservation: 1001,
    nightly: {
      rm_aurora_single: 5400,
      rm_aurora_double: 8950,
      rm_aurora_twin: 8200,
      rm_aurora_family: 13_450,
      rm_aurora_dorm_6: 2450,
      rm_aurora_dorm_8_female: 2290,
    },
  },
  {
    snapshot: hoshi,
    bookings: 80,
    firstReservation: 5001,
    nightly: { rm_hoshi_double: 12_800, rm_hoshi_tatami: 19_500, rm_hoshi_capsule: 4200 },
  },
]

/** A demo property by its id. */
export const propertyOf = (id: string): DemoProperty | undefined =>
  properties.find(({ snapshot }) => snapshot.property_id === id)

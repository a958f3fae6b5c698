// The properties of a run and their bookings. A reservation shows partners the version of its booking.
export const ROOMS = ['rm_0', 'rm_1', 'rm_2', 'rm_3']
export const RATE_PLAN = 'rp_flex'
/** A room that no property has: a booking of it cannot be resolved. */
export const UNKNOWN_ROOM = 'rm_nowhere'

const room = (room_id) => ({
  room_id,
  name: `Room ${room_id}`,
  kind: 'private',
  total_units: 10,
  beds_per_unit: 1,
  bed_type: 'double',
  occupancy: { base: 2, max: 2, max_adults: 2, max_children: 1 },
  status: 'active',
})

export const propertySnapshot = (property_id) => ({
  property_id,
  version: 1,
  name: `Hotel ${property_id}`,
  timezone: 'UTC',
  currency: 'EUR',
  country: 'DE',
  rooms: ROOMS.map(room),
  rate_plans: [
    {
      rate_plan_id: RATE_PLAN,
      name: 'Flexible',
      room_ids: ROOMS,
      currency: 'EUR',
      pricing_model: 'per_room',
      occupancies: null,
      derived_from: null,
      status: 'active',
    },
  ],
})

const requestOf = (version) => `version ${version}`

/** The version that a reservation of the feed shows. */
export const shownVersion = ({ special_requests }) => Number(special_requests.slice(requestOf('').length))

/** One version of a booking. */
export const booking = ({ property_id, reservation_id, version, status = 'confirmed', room_id }) => ({
  reservation_id,
  property_id,
  version,
  status,
  check_in: '2027-03-01',
  check_out: '2027-03-04',
  created_at: '2026-11-20T10:00:00.000Z',
  guest_count: 2,
  guest: { first_name: 'Ada', last_name: 'Lovelace', full_name: null, email: null, phone: null },
  currency: 'EUR',
  total_amount: '300.00',
  paid_amount: '0.00',
  accommodation: [
    {
      room_id,
      rate_plan_id: RATE_PLAN,
      rate_plan_name: 'Flexible',
      quantity: 1,
      is_dorm: false,
      adults: 2,
      children: 0,
    },
  ],
  special_requests: requestOf(version),
})

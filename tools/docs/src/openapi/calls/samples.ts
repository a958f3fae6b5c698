import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { Reservation } from '@connectivity/contracts/reservation'

/** Values that examples share. */
export const schema_version = SCHEMA_VERSION
export const property_id = 'con_01jd3v8m6qf0y4b7t2x9k5n1ha'
export const external_property_id = 'PMS-100'
export const correlation_id = '0f8fad5b-d9cb-469f-a165-70867728950e'

export const reservation: Reservation = {
  reservation_id: 'RSV-1001',
  property_id,
  external_property_id,
  check_in: '2026-12-01',
  check_out: '2026-12-05',
  status: 'confirmed',
  cancelled: false,
  updated_at: '2026-11-20T10:15:30.123Z',
  created_at: '2026-11-20T10:00:00.000Z',
  guest_count: 2,
  guest: {
    first_name: 'Ada',
    last_name: 'Lovelace',
    full_name: 'Ada Lovelace',
    email: 'ada@example.com',
    phone: '+44 20 7946 0000',
  },
  currency: 'EUR',
  total_amount: 412.5,
  paid_amount: 100,
  accommodation: [
    {
      external_room_id: 'DBL',
      external_rate_plan_id: 'FLEX',
      rate_plan_name: 'Flexible',
      quantity: 1,
      beds: null,
      bed_type: null,
      room_number: null,
      room_type: 'Double',
      is_dorm: false,
      occupancy: { adults: 2, children: 0 },
    },
  ],
  special_requests: null,
}

// Documents whose fields only make sense together: drawn field by field they would never get past the first checks.
import fc from 'fast-check'
import { dateIn } from '../local/demo/dates.mjs'

const HORIZON = 700
const LONGEST = 20

const range = fc
  .tuple(fc.integer({ min: 1, max: HORIZON }), fc.nat(LONGEST))
  .map(([from, days]) => ({ date_from: dateIn(from), date_to: dateIn(from + days) }))

const merged = (...parts) => fc.tuple(...parts).map((values) => Object.assign({}, ...values))

const oneField = (name, values) => fc.constantFrom(...values).map((value) => ({ [name]: value }))

function ariUpdate({ room_id, rate_plan_id }) {
  const room = merged(range, oneField('room_id', room_id))
  const restrictions = fc.record(
    { min_stay_arrival: fc.integer({ min: 1, max: 9 }), stop_sell: fc.option(fc.boolean()) },
    { requiredKeys: [] },
  )
  const rates = fc.integer({ min: 0, max: 50_000 }).map((cents) => [{ amount: (cents / 100).toFixed(2) }])
  return fc.oneof(
    merged(room, fc.record({ availability: fc.nat(99) })),
    merged(room, oneField('rate_plan_id', rate_plan_id), fc.oneof(fc.record({ rates }), fc.record({ restrictions }))),
  )
}

const token = ({ client_id, client_secret }) =>
  fc.record({
    grant_type: fc.constant('client_credentials'),
    client_id: fc.constantFrom(...client_id),
    client_secret: fc.constantFrom(...client_secret),
  })

const replay = ({ property_id, event_ids }) =>
  merged(oneField('property_id', property_id), oneField('event_ids', event_ids))

/** Arbitraries by the name of the schema they draw values of; those whose values are not there yet are left out. */
export const shapesOf = (known) => ({
  ...(known.room_id?.length && { AriUpdateWrite: ariUpdate(known) }),
  ...(known.client_id?.length && { TokenRequest: token(known) }),
  ...(known.event_ids?.length && { EventsReplay: replay(known) }),
})

// Bodies whose fields depend on each other: drawn field by field from their schema, they would hardly ever succeed.
import { reservationEventTypes } from '@connectivity/contracts/reservation-events'
import fc from 'fast-check'
import { dateIn } from '../../../deploy/local/demo/dates.ts'
import { LINK_TOKEN } from '../model/request.ts'

const HORIZON_DAYS = 700
const LONGEST_RANGE_DAYS = 20
const MOST_UPDATES = 4
const MOST_ITEMS = 5
/** External ids of one entity that mappings choose from; none is used by two entities. */
const EXTERNAL_IDS = 3

/** Existing ids and values of a lane's connection that good requests name. */
export interface Facts {
  property_id: string
  client_id: string
  client_secret: string
  room_ids: string[]
  rate_plan_ids: string[]
  /** Rooms and rate plans that take a price for the night without an occupancy. */
  priced: { room_id: string; rate_plan_id: string }[]
  currency: string
  event_ids: string[]
  callback_url: string
}

type Body = fc.Arbitrary<object>

/** Both dates of a range, the last one included. */
export const dateRange = fc
  .tuple(fc.integer({ min: 1, max: HORIZON_DAYS }), fc.nat(LONGEST_RANGE_DAYS))
  .map(([from, days]) => ({ date_from: dateIn(from) as string, date_to: dateIn(from + days) as string }))

const merged = (...parts: Body[]): Body => fc.tuple(...parts).map((values) => Object.assign({}, ...values) as object)

const some = (values: readonly string[]) =>
  fc.subarray([...values], { minLength: 1, maxLength: Math.min(values.length, MOST_ITEMS) })

function ariUpdate({ room_ids, priced }: Facts): Body {
  const amount = fc.integer({ min: 0, max: 50_000 }).map((cents) => (cents / 100).toFixed(2))
  const restrictions = fc.record(
    { min_stay_arrival: fc.integer({ min: 1, max: 9 }), stop_sell: fc.option(fc.boolean()) },
    { requiredKeys: ['min_stay_arrival'] },
  )
  const availability = merged(
    fc.constantFrom(...room_ids).map((room_id) => ({ room_id })),
    fc.record({ availability: fc.nat(9) }),
  )
  const price = merged(
    fc.constantFrom(...priced),
    fc.oneof(fc.record({ rates: fc.tuple(fc.record({ amount })) }), fc.record({ restrictions })),
  )
  return merged(dateRange, fc.oneof(availability, price))
}

const oneOrMore = (facts: Facts) =>
  // Two updates of one cell are a conflict: mostly one update.
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(ariUpdate(facts)) },
    { weight: 1, arbitrary: fc.array(ariUpdate(facts), { minLength: 1, maxLength: MOST_UPDATES }) },
  )

const mapping = (entity_type: string, ids: readonly string[]) =>
  fc
    .tuple(some(ids), fc.nat(EXTERNAL_IDS - 1))
    .map(([chosen, n]) =>
      chosen.map((service_id) => ({ entity_type, service_id, external_id: `EXT-${service_id}-${n}` as string | null })),
    )

/** Good bodies by the name of their schema; for other schemas every value that the schema allows is taken as good. */
const bodies: Record<string, (facts: Facts) => Body> = {
  AriWrite: (facts) =>
    oneOrMore(facts).map((updates) => ({ property_id: facts.property_id, currency: facts.currency, updates })),
  TokenRequest: ({ client_id, client_secret }) =>
    fc.constant({ grant_type: 'client_credentials', client_id, client_secret }),
  PortalSignIn: () => fc.constant({ token: LINK_TOKEN }),
  MappingsWrite: ({ room_ids, rate_plan_ids }) =>
    fc.record({ mappings: fc.oneof(mapping('room', room_ids), mapping('rate_plan', rate_plan_ids)) }),
  EventsReplay: ({ property_id, event_ids }) =>
    fc.oneof(
      fc.record({ property_id: fc.constant(property_id), event_ids: some(event_ids) }),
      fc.nat(20).map((from) => ({ property_id, from_sequence: from, to_sequence: from + 2 })),
    ),
  AcknowledgementsWrite: ({ property_id, event_ids }) =>
    fc.tuple(some(event_ids), fc.constantFrom('processed', 'rejected', 'deferred')).map(([ids, outcome]) => ({
      property_id,
      acknowledgements: ids.map((event_id) => ({ event_id, outcome })),
    })),
  CallbackDiagnosis: ({ event_ids }) =>
    fc.record({
      event_id: fc.constantFrom(...event_ids),
      headers: fc.dictionary(fc.constantFrom('Service-Signature', 'webhook-id', 'Host'), fc.string()),
      body_base64: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    }),
  CallbackWrite: ({ callback_url }) =>
    fc.record(
      {
        url: fc.constant(callback_url),
        events: some(reservationEventTypes),
        payload: fc.constantFrom('full', 'thin'),
      },
      { requiredKeys: ['url'] },
    ),
  RequestProduction: ({ property_id }) =>
    fc.record(
      {
        property_id: fc.constant(property_id),
        contact: fc.constant({ name: 'Ada Lovelace', email: 'ada@example.com' }),
        go_live_on: fc.integer({ min: 1, max: HORIZON_DAYS }).map((days) => dateIn(days) as string),
        notes: fc.constant('After the season.'),
      },
      { requiredKeys: ['property_id', 'contact'] },
    ),
}

/** Good bodies for the schema of this name; undefined where those that the schema allows are good. */
export const goodBody = (schemaName: string, facts: Facts): Body | undefined => bodies[schemaName]?.(facts)

// A lane: an application with one connection to a property of its own. Lanes share nothing, so inputs of different
// lanes cannot spoil each other's preparation.
import type { HandOver, OAuthClient } from '@connectivity/toolkit/hand-over'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { until } from '@connectivity/toolkit/until'
import type { Facts } from '../values/good-bodies.ts'
import type { Known } from '../values/schema-values.ts'
import { LaneClient } from './lane-client.ts'
import type { Partner } from './partner.ts'
import { externalId, walkPilot } from './pilot.ts'
import { PortalPerson } from './portal-person.ts'
import { Property } from './property.ts'
import type { Receiver } from './receiver.ts'

interface Page {
  pagination: { next_cursor: string | null }
}

interface EventPage extends Page {
  events: { event_id: string }[]
}

const PATIENCE = { within: 60_000, every: 50 }
/** Values of `wait`, s: longer ones would make a run wait for most of its time. */
const WAITS = [...Array<number>(49).fill(0), 1]

export interface Lane {
  name: string
  client: LaneClient
  property: Property
  facts: Facts
  known: Known
  operators: OperatorsApi
  receiver: Receiver
  person: PortalPerson
}

/** Parts of the stack that a lane uses. */
export interface Surroundings {
  demo: HandOver
  partner: Partner
  receiver: Receiver
}

/** Creates and approves an application and connects it to the property; returns a client of the connection. */
async function connect(name: string, source: string, { demo, partner }: Surroundings, operators: OperatorsApi) {
  const application_id = await operators.createApplication(`Fuzz ${name}`)
  await operators.liftLimits(application_id)
  const wanted = { application_id, source_property_id: source, external_property_id: `EXT-${name}` }
  const property_id = await operators.connect(wanted)
  const signing = await operators.issueSigning(property_id)
  const credentials = `/connections/${property_id}/credentials`
  const oauth = await operators.call<OAuthClient>('POST', credentials, { type: 'oauth' })
  const person = new PortalPerson(operators, application_id, new URL(demo.base_url).origin)
  return { client: new LaneClient(partner, property_id, signing, person), oauth, person }
}

/** Ids and other values that good requests name. */
async function factsOf(
  { client, oauth }: { client: LaneClient; oauth: OAuthClient },
  { snapshot }: Property,
  url: string,
): Promise<{ facts: Facts; known: Known }> {
  const room_ids = snapshot.rooms.map(({ room_id }) => room_id)
  const priced = snapshot.rate_plans
    .filter(({ pricing_model, derived_from }) => pricing_model === 'per_room' && derived_from === null)
    .flatMap(({ rate_plan_id, room_ids: rooms }) => rooms.map((room_id) => ({ room_id, rate_plan_id })))
  const reservations = await client.feed()
  const { events, pagination } = await client.read<EventPage>('/reservations/events', { limit: '5' })
  const page = await client.read<Page>('/reservations', { limit: '5' })
  const { headers } = await client.get('/properties')
  const facts: Facts = {
    ...oauth,
    property_id: client.connectionId,
    room_ids,
    rate_plan_ids: snapshot.rate_plans.map(({ rate_plan_id }) => rate_plan_id),
    priced,
    currency: snapshot.currency,
    event_ids: events.map(({ event_id }) => event_id),
    callback_url: url,
  }
  const known: Known = {
    wait: WAITS,
    correlation_id: [headers['x-correlation-id']],
    property_id: [client.connectionId],
    event_id: facts.event_ids,
    reservation_id: reservations.map(({ reservation_id }) => reservation_id),
    updated_since: reservations.map(({ updated_at }) => updated_at).slice(0, 5),
    'pullReservations.cursor': [page.pagination.next_cursor],
    'listEvents.cursor': [pagination.next_cursor],
    external_room_id: room_ids.map((id) => externalId(id)),
    external_rate_plan_id: facts.rate_plan_ids.map((id) => externalId(id)),
  }
  return { facts, known }
}

/** Creates a lane: an application and a connection with a catalog, a feed and events. */
export async function openLane(name: string, surroundings: Surroundings): Promise<Lane> {
  const { demo, receiver } = surroundings
  const operators = new OperatorsApi(demo.ops.base_url, demo.ops.token, 'fuzzing')
  const property = new Property(name, demo.kafka.brokers)
  const connected = await connect(name, property.id, surroundings, operators)
  const { client, person } = connected
  await walkPilot(client, property)
  await until(
    async () =>
      (await client.read<EventPage>('/reservations/events', { limit: '100' })).events.length > property.bookings,
    { ...PATIENCE, complaint: () => `the events of ${client.connectionId} were not listed within a minute` },
  )
  const known = await factsOf(connected, property, receiver.urlOf(name))
  return { name, client, property, ...known, operators, receiver, person }
}

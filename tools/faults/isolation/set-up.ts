// Sets up a separate hotel for the isolation rounds: a healthy partner, and attackers of other applications.
import { randomUUID } from 'node:crypto'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { bookingEvent, publish } from '../../../deploy/local/demo/booking-engine.ts'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { get, send } from '@connectivity/toolkit/partner'
import { until } from '@connectivity/toolkit/until'
import { kafkaProducer } from '../../../deploy/local/parts/kafka-client.ts'
import { booking, propertySnapshot, RATE_PLAN } from '../users/property.ts'
import type { FaultStack } from '../stack/fault-stack.ts'
import { attackers } from './attackers/attackers.ts'
import { HealthyPartner } from './healthy-partner.ts'
import { HOTEL_ROOMS, type Partner, type Target } from './target.ts'

const HOTEL = 'prop_isolation'
/** Bookings with a long text, so that a page of 100 is 2.5 MB. */
const LARGE_BOOKINGS = 200
const LARGE_TEXT = 'A quiet room, please. '.repeat(1_200)
const READY_WITHIN = 60_000
const PAUSE = 200
const WARM_UP = 10_000

function hotel() {
  const snapshot = propertySnapshot(HOTEL)
  const rooms = HOTEL_ROOMS.map((room_id) => ({ ...snapshot.rooms[0]!, room_id, name: `Room ${room_id}` }))
  return { ...snapshot, rooms, rate_plans: [{ ...snapshot.rate_plans[0]!, room_ids: HOTEL_ROOMS }] }
}

/** A booking of the hotel as the booking engine announces it. */
const hotelBooking = (reservation_id: string, special_requests = 'version 1') => ({
  ...booking({ property_id: HOTEL, reservation_id, version: 1, room_id: HOTEL_ROOMS[0]! }),
  special_requests,
})

async function apply(api: OperatorsApi, name: string): Promise<Partner & { application: string }> {
  const application = await api.createApplication(name)
  const wanted = { application_id: application, source_property_id: HOTEL, external_property_id: 'EXT' }
  const connection = await api.connect(wanted)
  return { application, connection, signing: await api.issueSigning(connection) }
}

/** Whether the feed shows reservations; errors and bodies that are not JSON have none. */
async function isServed(baseUrl: string, { connection, signing }: Partner): Promise<boolean> {
  const query = { property_id: connection }
  const { body } = await get<Partial<FeedPage> | undefined>(baseUrl, '/reservations', query, signing)
  return (body?.reservations?.length ?? 0) > 0
}

/** Maps rooms and rate plan, so that the feed shows bookings as reservations. */
async function map(baseUrl: string, { connection, signing }: Partner): Promise<boolean> {
  const mappings = [
    ...HOTEL_ROOMS.map((id) => ({ entity_type: 'room', service_id: id, external_id: `EXT-${id}` })),
    { entity_type: 'rate_plan', service_id: RATE_PLAN, external_id: 'EXT-FLEX' },
  ]
  const given = { body: { mappings }, key: randomUUID() }
  return (await send(baseUrl, 'POST', `/properties/${connection}/mappings`, signing, given)).status === 200
}

const ready = (check: () => Promise<boolean>, what: string): Promise<unknown> =>
  until(check, { within: READY_WITHIN, every: PAUSE, complaint: () => `${what} within ${READY_WITHIN / 1000} s` })

/** A hotel that is in use. */
export interface Isolation {
  healthy: HealthyPartner
  /** By the attacker's name. */
  targets: ReadonlyMap<string, Target>
  close: () => Promise<void>
}

/** Sets up the hotel; lifts the healthy partner's limits, while attackers keep the default ones. */
export async function setUpIsolation({ baseUrl, brokers, gateways, ops }: FaultStack): Promise<Isolation> {
  const api = new OperatorsApi(ops.baseUrl, ops.token, 'fault run')
  await publish(brokers, { properties: [hotel()] })
  const healthy = await apply(api, 'Healthy partner')
  await api.liftLimits(healthy.application)
  const targets = new Map<string, Target>()
  for (const { name, applications } of attackers) {
    const partners: Partner[] = []
    for (let number = 1; number <= applications; number++) partners.push(await apply(api, `Attacker ${name} ${number}`))
    targets.set(name, { gateways, partners })
  }
  const partners = [...targets.values()].flatMap((target) => target.partners)
  const producer = kafkaProducer(brokers)
  await producer.connect()
  const book = async (id: string, text?: string) => {
    const value = JSON.stringify(bookingEvent(hotelBooking(id, text)))
    await producer.send({ topic: 'booking.reservations.v1', messages: [{ key: HOTEL, value }] })
  }
  for (let number = 1; number <= LARGE_BOOKINGS; number++) await book(`LARGE-${number}`, LARGE_TEXT)
  for (const one of [healthy, ...partners]) await ready(() => map(baseUrl, one), 'the hotel was not mapped')
  for (const one of [healthy, ...partners]) await ready(() => isServed(baseUrl, one), 'the hotel was not served')
  const partner = new HealthyPartner(baseUrl, healthy, book)
  await partner.begin()
  // Warm-up outside of any round: the bookings above are called back too, and the services compile their code.
  await partner.work(WARM_UP)
  await partner.acknowledge()
  const close = async () => {
    partner.end()
    await producer.disconnect()
  }
  return { healthy: partner, targets, close }
}

// What exists on the running stack, by the names of the fields that hold it: requests with it get past the first checks.
import { pullFeed } from '../local/demo/partner.mjs'
import { propertyOf } from '../local/demo/properties.mjs'

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** @returns {Promise<Record<string, unknown[]>>} */
export async function knownValues({ base_url, applications }, partner) {
  const [connection] = applications[0].connections
  const { property_id, source_property_id, oauth } = connection
  const { rooms, rate_plans } = propertyOf(source_property_id).snapshot
  const { reservations } = await pullFeed(base_url, connection)
  const read = async (path) => {
    const { text } = await partner.send({ method: 'GET', path, headers: {}, body: null, isSigned: true })
    return JSON.parse(text)
  }
  const page = await read(`/reservations?property_id=${property_id}&limit=1`)
  const { events } = await read(`/reservations/events?property_id=${property_id}&limit=100`)
  const { mappings } = await read(`/properties/${property_id}/mappings`)
  const external = (type) => mappings.filter((one) => one.entity_type === type).map((one) => one.external_id)
  return {
    property_id: [property_id],
    reservation_id: [...reservations.keys()].slice(0, 20),
    event_id: events.map(({ event_id }) => event_id),
    event_ids: events.map(({ event_id }) => [event_id]),
    cursor: [page.pagination.next_cursor],
    updated_since: [...reservations.values()].map(({ updated_at }) => updated_at).slice(0, 5),
    room_id: rooms.map(({ room_id }) => room_id),
    rate_plan_id: rate_plans.map(({ rate_plan_id }) => rate_plan_id),
    external_room_id: external('room'),
    external_rate_plan_id: external('rate_plan'),
    service_id: [...rooms.map(({ room_id }) => room_id), ...rate_plans.map(({ rate_plan_id }) => rate_plan_id)],
    currency: ['EUR', 'EUR', 'EUR', 'EUR', 'JPY', null],
    client_id: [oauth.client_id],
    client_secret: [oauth.client_secret],
    amount: ['100.00', '99.5', '1'],
    days_of_week: [WEEKDAYS, ['sat', 'sun']],
    url: ['http://127.0.0.1:9/callback', 'http://127.0.0.1:1/', 'https://nobody.invalid/'],
  }
}

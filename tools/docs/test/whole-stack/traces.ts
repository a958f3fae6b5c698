import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RoomList } from '@connectivity/contracts/catalog-lists'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { createKafka, createProducer } from '@connectivity/kafka/broker'
import { createLogger } from '@connectivity/service-kit/logging'
import { bookingEvent, bookingLine } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import type { CollectedSpan, TraceCollector } from '@connectivity/testing/trace-collector'
import type { WholeStack } from '@connectivity/testing/whole-stack'
import type { DemoConnection } from '@connectivity/toolkit/hand-over'
import type { System } from './system.js'

const CALLER = 'c0ffee00c0ffee00'
const trace = (digit: string): string => digit.repeat(32)
const traceparent = (digit: string, flags = '01'): string => `00-${trace(digit)}-${CALLER}-${flags}`
/** Time from a booking to the callback's span at the collector, ms. */

let collector: TraceCollector
let stack: WholeStack
/** The connection that no other part of the suite uses. */
let connection: DemoConnection
let token: string
const called: IncomingHttpHeaders[] = []

/** A partner's callback, which accepts everything. */
const receiver = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => (text += chunk))
  request.on('end', () => {
    called.push(request.headers)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ challenge: (JSON.parse(text) as { challenge?: string }).challenge }))
  })
})

async function call(method: string, path: string, { body, headers = {} }: { body?: object; headers?: object } = {}) {
  const answer = await fetch(stack.demo.base_url + BASE_PATH + path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      ...headers,
    },
  })
  const json: unknown = await answer.json()
  return { status: answer.status, json }
}

async function accessToken(): Promise<string> {
  const { client_id, client_secret } = connection.oauth
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret })
  const answer = await fetch(`${stack.demo.base_url}${BASE_PATH}/oauth/token`, { method: 'POST', body })
  return ((await answer.json()) as { access_token: string }).access_token
}

async function registerCallback(): Promise<void> {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?secret=hunter2`
  const { status } = await call('PUT', `/properties/${connection.property_id}/callback`, { body: { url } })
  expect(status).toBe(201)
}

const roomId = async (): Promise<string> => {
  const { json } = await call('GET', `/catalog/rooms?property_id=${connection.property_id}`)
  return (json as RoomList).rooms[0]!.service_id
}

/** The span of the trace that is a child of the given one. */
function childOf(digit: string, parent: string, service: string, name: string): CollectedSpan {
  const spans = collector.trace(trace(digit))
  const found = spans.find((span) => span.parent === parent && span.service === service && span.name === name)
  if (!found)
    throw new Error(`no ${service} ${name} below ${parent} among ${spans.map((span) => span.name).join(', ')}`)
  return found
}

/** Follows a trace along (service, name of the span), each the child of the one before. */
function follow(digit: string, ...way: [service: string, name: string][]): CollectedSpan[] {
  let parent = CALLER
  return way.map(([service, name]) => {
    const span = childOf(digit, parent, service, name)
    parent = span.spanId
    return span
  })
}

/** Follows requests and bookings through the spans that the services send; stops the collector in the end. */
export function describeTraces(system: () => System): void {
  describe('a trace', () => {
    beforeAll(async () => {
      ;({ stack, collector } = system())
      connection = stack.otherConnection
      token = await accessToken()
      await registerCallback()
    })
    afterAll(() => {
      receiver.close()
      receiver.closeAllConnections()
    })

    it('follows a booking from the booking engine to the callback, which gets no trace headers', async () => {
      const producer = createProducer(
        createKafka({ brokers: stack.demo.kafka.brokers, instance: 'test' }, createLogger('test', 'silent')),
      )
      await producer.connect()
      const { source_property_id: property_id } = connection
      const accommodation = [bookingLine({ room_id: await roomId(), rate_plan_id: null })]
      const value = bookingEvent({ property_id, reservation_id: 'RSV-TRACED', accommodation })
      const message = { key: property_id, value, headers: { traceparent: traceparent('a') } }
      await producer.send({ topic: 'booking.reservations.v1', acks: -1, messages: [message] })
      await producer.disconnect()
      const way = await eventually(() =>
        follow(
          'a',
          ['reservation-feed', 'process booking.reservations.v1'],
          ['reservation-feed', 'send connectivity.reservation-events.v1'],
          ['event-dispatch', 'process connectivity.reservation-events.v1'],
          ['event-dispatch', 'POST callback'],
        ),
      )
      expect(way.map(({ kind }) => kind)).toEqual(['consumer', 'producer', 'consumer', 'client'])
      expect(way.at(-1)!.attributes).toMatchObject({
        'http.response.status_code': 200,
        'connectivity.connection_id': connection.property_id,
        'connectivity.event_type': 'reservation.created',
        'connectivity.delivery_attempt': '1',
      })
      const [first] = way
      const batch = await eventually(() => {
        const found = collector.spans.find(({ links }) => links.some(({ spanId }) => spanId === first!.spanId))
        return found ?? Promise.reject(new Error('no batch'))
      })
      expect(batch).toMatchObject({ service: 'reservation-feed', kind: 'consumer', parent: null })
      expect(called.filter((headers) => headers['service-event-type'] === 'reservation.created')).not.toEqual([])
      expect(called.filter((headers) => 'traceparent' in headers || 'tracestate' in headers)).toEqual([])
    })

    it("follows a partner's change from the gateway over the catalog into the feed, for any flags", async () => {
      const { property_id } = connection
      const mappings = [{ entity_type: 'room', service_id: await roomId(), external_id: `TRACED-${Date.now()}` }]
      const asked = { body: { mappings }, headers: { traceparent: traceparent('b', '00') } }
      expect((await call('POST', `/properties/${property_id}/mappings`, asked)).status).toBe(200)
      const route = `POST ${BASE_PATH}/properties/{id}/mappings`
      const way = await eventually(() =>
        follow(
          'b',
          ['gateway', route],
          ['gateway', 'POST catalog'],
          ['catalog', route.replace('{id}', ':connectionId')],
          ['catalog', 'send connectivity.catalogs.v1'],
          ['reservation-feed', 'process connectivity.catalogs.v1'],
        ),
      )
      expect(way.map(({ kind }) => kind)).toEqual(['server', 'client', 'server', 'producer', 'consumer'])
      const [atGateway, forwarding] = way
      expect(atGateway!.attributes).toMatchObject({
        'http.response.status_code': 200,
        'connectivity.connection_id': property_id,
        'connectivity.correlation_id': expect.any(String),
      })
      expect(forwarding!.attributes).toMatchObject({ 'peer.service': 'catalog', 'http.response.status_code': 200 })
    })

    it('holds no guest, secret, query or probe', () => {
      const secrets = [stack.connection, connection].flatMap(({ signing, oauth }) => [
        signing.signing_secret,
        oauth.client_secret,
      ])
      for (const hidden of ['Ada', 'Lovelace', 'example.com', 'hunter2', ...secrets, token])
        expect(collector.text).not.toContain(hidden)
      // `/auth/health` is a call of partners.
      expect(collector.spans.filter(({ name }) => /(?<!\/auth)\/health|metrics/.test(name))).toEqual([])
    })

    it('fails no request when the collector goes away, and logs one line', async () => {
      collector.stop()
      for (let round = 0; round < 50; round++)
        expect((await call('GET', `/properties/${connection.property_id}/mappings`)).status).toBe(200)
      const complaints = (service: string) => stack.log(service).split('traces could not be exported').length - 1
      await eventually(() => expect(complaints('gateway')).toBe(1))
      expect((await call('GET', '/properties')).status).toBe(200)
      for (const service of ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch'])
        expect(complaints(service)).toBeLessThanOrEqual(1)
    })
  })
}

import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { ERROR_CODE_HEADER } from '@connectivity/service-kit/http'
import { eventually } from '@connectivity/testing/eventually'
import { Client } from 'pg'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call, type Partner, raw, signatureHeaders, type SigningKey } from './partner.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`

describe('the record of a request', () => {
  const gateway = new GatewayUnderTest()
  let lines: Record<string, unknown>[]
  let application: string
  let connection: string
  let partner: Partner & { key: { credential_id?: string } }

  beforeAll(async () => {
    // Without a broker messages stay in the outbox, where the test finds them.
    await gateway.start({ KAFKA_BROKERS: ['127.0.0.1:9'] })
    application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
    partner = gateway.partner(await gateway.signingKey(connection))
    gateway.app.get<Logger>(LOGGER).info = (line: Record<string, unknown>) => void lines.push(line)
  })
  beforeEach(() => (lines = []))
  afterAll(() => gateway.stop())

  const written = () =>
    eventually(() => {
      expect(lines).toHaveLength(1)
      return lines[0]!
    })

  it("of a forwarded request names caller, route, durations and the service's error code", async () => {
    gateway.feed.script = (_request, response) =>
      response.writeHead(422, { [ERROR_CODE_HEADER]: 'accommodation_unresolved' }).end('{}')
    const answer = await partner.get(`/reservations/RSV-secret?property_id=${connection}`, {
      headers: { 'X-Correlation-Id': 'my-own-id', traceparent },
    })
    expect(answer.headers[ERROR_CODE_HEADER]).toBeUndefined()
    const line = await written()
    expect(line).toMatchObject({
      method: 'GET',
      route: '/api/connectivity/v1/reservations/{reservation_id}',
      status: 422,
      code: 'accommodation_unresolved',
      application_id: application,
      credential_id: partner.key.credential_id,
      connection_id: connection,
      upstream: 'reservation-feed',
      limit: 'reads',
      limit_remaining: 59,
      correlation_id: 'my-own-id',
      trace_id: TRACE,
      duration_ms: expect.any(Number),
      upstream_ms: expect.any(Number),
      bytes: expect.any(Number),
    })
    expect(JSON.stringify(line)).not.toContain('secret')
    expect(gateway.feed.last.headers.traceparent).toBe(`00-${TRACE}-${String(line.span_id)}-01`)
  })

  it('begins a trace when the caller has none', async () => {
    gateway.feed.script = (_request, response) => response.end('{}')
    await partner.get(`/reservations?property_id=${connection}`, { headers: { traceparent: 'garbage' } })
    const { trace_id, span_id } = await written()
    expect(gateway.feed.last.headers.traceparent).toBe(`00-${String(trace_id)}-${String(span_id)}-00`)
  })

  it("names the gateway's own answer and no refused credential", async () => {
    const target = '/api/connectivity/v1/properties?token=secret'
    await call(gateway.publicOrigin, target, { headers: { 'X-Service-Key-Id': 'key_secret' } })
    const line = await written()
    expect(line).toMatchObject({ route: '/api/connectivity/v1/properties', status: 401, code: 'invalid_signature' })
    expect(line).not.toHaveProperty('application_id')
    expect(JSON.stringify(line)).not.toContain('secret')
  })

  it('of a 401 or 403 names the existing key, the address, the detail and the property', async () => {
    const target = `/api/connectivity/v1/reservations?property_id=${connection}`
    const signing = { ...partner.key, signing_secret: 'another' } as SigningKey
    await call(gateway.publicOrigin, target, { headers: signatureHeaders(signing, target) })
    const named = { address: '127.0.0.1', key_id: signing.key_id }
    expect(await written()).toMatchObject({
      ...{ status: 401, code: 'invalid_signature', detail: 'signature_mismatch', property_id: connection },
      ...named,
    })
    lines = []
    await partner.get('/reservations?property_id=con_somebody')
    expect(await written()).toMatchObject({
      ...{ status: 403, code: 'property_forbidden', property_id: 'con_somebody', application_id: application },
      ...named,
    })
    lines = []
    const unknown = { key_id: 'key_a_secret_pasted_here', signing_secret: 'x' }
    await call(gateway.publicOrigin, target, { headers: signatureHeaders(unknown, target) })
    expect(await written()).not.toHaveProperty('key_id')
  })

  it('shows that the service gave no answer', async () => {
    gateway.feed.script = (request) => void request.socket.destroy()
    await partner.get(`/reservations?property_id=${connection}`)
    expect(await written()).toMatchObject({ status: 503, code: 'service_unavailable', connection_id: connection })
  })

  it('reaches the headers of the messages that a change causes', async () => {
    await gateway.ops(
      'POST',
      `/connections/${connection}/transitions`,
      { to: 'disabled', reason: 'test' },
      { traceparent },
    )
    const { span_id } = await written()
    const client = new Client({ connectionString: gateway.database.url })
    await client.connect()
    const { rows } = await client.query<{ headers: string }>('SELECT headers FROM outbox ORDER BY id DESC LIMIT 1')
    await client.end()
    expect(JSON.parse(rows[0]!.headers)).toEqual({ traceparent: `00-${TRACE}-${String(span_id)}-01` })
  })

  it('is counted in the metrics', async () => {
    const { text } = await call(gateway.privateOrigin, '/metrics')
    for (const sample of [
      'connectivity_http_requests_total{route="/api/connectivity/v1/properties",method="GET",status="401",code="invalid_signature"} 1',
      'connectivity_authentication_failures_total{reason="missing_header"} 1',
      'connectivity_connections_silent 0',
      'connectivity_limit_decisions_total{class="feed",outcome="passed",counted_in="redis"}',
      'connectivity_upstream_duration_seconds_count{service="reservation-feed"} 2',
      'connectivity_upstream_failures_total{service="reservation-feed",status="503"} 1',
      'connectivity_cache_lookups_total{cache="credentials",result="hit"}',
      'connectivity_cache_lookups_total{cache="credentials",result="miss"}',
    ]) {
      expect(text).toContain(sample)
    }
  })

  it('is also written for input that is not a valid request', async () => {
    expect(await raw(gateway.publicOrigin, 'GET\r\n\r\n')).toContain('400 Bad Request')
    expect(await written()).toEqual({ status: 400, code: 'invalid_request', correlation_id: expect.any(String) })
    lines = []
    expect(await raw(gateway.privateOrigin, `GET / HTTP/1.1\r\nx: ${'y'.repeat(60_000)}\r\n\r\n`)).toContain(' 431 ')
    expect(await written()).toMatchObject({ status: 431, code: 'request_header_fields_too_large' })
    const metrics = (await call(gateway.privateOrigin, '/metrics')).text
    for (const labels of ['status="400",code="invalid_request"', 'status="431",code="request_header_fields_too_large"'])
      expect(metrics).toContain(`connectivity_http_requests_total{route="none",method="none",${labels}} 1`)
  })
})

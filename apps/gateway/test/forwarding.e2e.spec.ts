import http from 'node:http'
import { jest } from '@jest/globals'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { IDENTITY_HEADER } from '@connectivity/contracts/identity'
import { eventually } from '@connectivity/testing/eventually'
import { Activity } from '../src/admission/activity/activity.service.js'
import { GatewayUnderTest, identityOf } from './gateway-under-test.js'
import { type Partner, signatureHeaders } from './partner.js'

describe('forwarding', () => {
  const gateway = new GatewayUnderTest()
  const { feed } = gateway
  let application: string
  let connection: string
  let partner: Partner
  let page: string

  beforeAll(async () => {
    await gateway.start()
    application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
    partner = gateway.partner(await gateway.signingKey(connection))
    page = `/reservations?property_id=${connection}`
  })
  afterAll(() => gateway.stop())

  it('passes the target on as sent and vouches for the caller', async () => {
    const target = `${page}&updated_since=2026-11-20T10%3A00%3A00Z&x=a+b&x=%zz`
    await partner.get(target, { headers: { 'X-Correlation-Id': 'my-own-id' } })
    expect(feed.last.url).toBe(BASE_PATH + target)
    expect(feed.last.headers['x-correlation-id']).toBe('my-own-id')
    expect(identityOf(feed.last, 'reservation-feed')).toMatchObject({
      application_id: application,
      connection: { property_id: connection, external_property_id: 'PMS-prop_1', state: 'pilot' },
      scopes: expect.arrayContaining(['reservations:read', 'ari:write']),
      method: 'GET',
      path: `${BASE_PATH}/reservations`,
      correlation_id: 'my-own-id',
    })
    expect(identityOf(feed.last, 'reservation-feed', 32)).toBeNull()
  })

  it('passes on only the headers that services need', async () => {
    await partner.get(page, {
      headers: {
        'If-None-Match': 'W/"1"',
        Accept: 'application/json',
        'X-Internal-Identity': 'forged',
        'X-Internal-Anything': 'forged',
        'X-Forwarded-For': '1.2.3.4',
        Cookie: 'a=b',
      },
    })
    const { headers } = feed.last
    expect(headers['if-none-match']).toBe('W/"1"')
    expect(headers.accept).toBe('application/json')
    expect(headers[IDENTITY_HEADER]).not.toContain('forged')
    for (const name of [
      'x-internal-anything',
      'x-forwarded-for',
      'cookie',
      'x-service-signature',
      'x-service-key-id',
    ]) {
      expect(headers[name]).toBeUndefined()
    }
  })

  it('streams the answer back with its headers, except those of the hop and internal ones', async () => {
    feed.script = (_request, response) =>
      response
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          etag: 'W/"7"',
          'service-checkpoint': '2026-11-20T10:00:00.000Z',
          'x-internal-evidence': 'full-pull-end',
          'cache-control': 'public',
          'x-correlation-id': 'another',
          'keep-alive': 'timeout=1',
        })
        .end('{"schema_version":"1.0.0"}')
    const { status, headers, text } = await partner.get(page)
    expect({ status, text }).toEqual({ status: 200, text: '{"schema_version":"1.0.0"}' })
    expect(headers).toMatchObject({
      etag: 'W/"7"',
      'service-checkpoint': '2026-11-20T10:00:00.000Z',
      'cache-control': 'private, no-store',
    })
    expect(headers['x-internal-evidence']).toBeUndefined()
    expect(headers['x-correlation-id']).not.toBe('another')
    expect(headers['keep-alive']).toBeUndefined()
  })

  it.each([304, 400, 404, 422, 503])('passes on a %d of the service unchanged', async (status) => {
    feed.script = (_request, response) => response.writeHead(status, { etag: 'W/"7"' }).end()
    expect(await partner.get(page)).toMatchObject({ status, headers: { etag: 'W/"7"' } })
  })

  it("hides a service's refusal of the gateway's identity", async () => {
    feed.script = (_request, response) => response.writeHead(401).end('{"error":{"code":"invalid_token"}}')
    const answer = await partner.get(page)
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'service_unavailable' } } })
    expect(answer.headers['retry-after']).toBe('2')
  })

  it('carries a page of 4 MiB unchanged', async () => {
    const text = JSON.stringify({ text: 'é'.repeat(2 * 1024 * 1024) })
    feed.script = (_request, response) => response.end(text)
    expect((await partner.get(page)).text).toBe(text)
  })

  it('repeats a GET once when the connection breaks before the answer', async () => {
    let attempts = 0
    feed.script = (request, response) => {
      attempts += 1
      if (attempts === 1) request.socket.destroy()
      else response.end('{"second":true}')
    }
    expect((await partner.get(page)).json).toEqual({ second: true })
  })

  it('answers 503 with Retry-After when the connection keeps breaking', async () => {
    let attempts = 0
    feed.script = (request) => {
      attempts += 1
      request.socket.destroy()
    }
    const answer = await partner.get(page)
    expect(answer).toMatchObject({
      status: 503,
      json: { schema_version: '1.0.0', error: { code: 'service_unavailable', retry_after_seconds: 2 } },
    })
    expect(answer.headers).toMatchObject({
      'retry-after': '2',
      'cache-control': 'private, no-store',
      'x-correlation-id': answer.json.error!.correlation_id,
    })
    expect(attempts).toBe(2)
  })

  it('breaks the answer off when the service does in the middle of it', async () => {
    feed.script = (request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"half":')
      setImmediate(() => request.socket.destroy())
    }
    await expect(partner.get(page)).rejects.toThrow()
  })

  it('gives up on a service that does not answer within 10 s', async () => {
    feed.script = () => undefined
    const { setTimeout: wait } = globalThis
    // The gateway runs in this process: its 10 s pass at once.
    const waits = jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((work: () => void, ms?: number) => wait(work, ms === 10_000 ? 50 : ms))
    const answer = await partner.get(page).finally(() => waits.mockRestore())
    expect(answer).toMatchObject({ status: 504, json: { error: { code: 'upstream_timeout' } } })
  })

  it('cancels the request to the service when the client disconnects, and records no poll', async () => {
    const polled = jest.spyOn(gateway.app.get(Activity, { strict: false }), 'polled')
    const cancelled = Promise.withResolvers<void>()
    feed.script = (request) => void request.socket.once('close', () => cancelled.resolve())
    const before = feed.requests.length
    const { hostname, port } = new URL(gateway.publicOrigin)
    const path = BASE_PATH + page
    const request = http.get({ hostname, port, path, headers: signatureHeaders(partner.key, path), agent: false })
    request.on('error', () => undefined)
    await eventually(() => expect(feed.requests.length).toBe(before + 1))
    const gone = Date.now()
    request.destroy()
    await cancelled.promise
    // Well before the gateway's own deadline.
    expect(Date.now() - gone).toBeLessThan(5_000)
    feed.script = (_request, response) => response.writeHead(304).end()
    await partner.get(page)
    await eventually(() => expect(polled).toHaveBeenCalled())
    expect(polled).toHaveBeenCalledTimes(1)
  })

  it('records served polls and credential uses without delaying the answer', async () => {
    const owner = gateway.partner(await gateway.signingKey(connection))
    const polled = async () => {
      const { properties } = (await partner.get('/properties')).json as {
        properties: { feed: { last_polled_at: string | null } }[]
      }
      return Date.parse(properties[0]!.feed.last_polled_at ?? '')
    }
    feed.script = (_request, response) => response.writeHead(304).end()
    const started = Date.now()
    await owner.get(page)
    await eventually(async () => expect(await polled()).toBeGreaterThanOrEqual(started))
    // Polls and uses are written side by side: either may be first.
    await eventually(async () => {
      const { json } = await gateway.ops('GET', `/connections/${connection}/credentials`)
      const { last_used_at } = (json.credentials as { key_id: string; last_used_at: string }[]).find(
        ({ key_id }) => key_id === owner.key.key_id,
      )!
      expect(Date.parse(last_used_at)).toBeGreaterThanOrEqual(started)
    })
  })
})

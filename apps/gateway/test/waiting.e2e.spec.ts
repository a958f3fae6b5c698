import http from 'node:http'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { NOTHING_NEW_HEADER, ONLY_NEWS } from '@connectivity/contracts/waiting'
import { ERROR_CODE_HEADER } from '@connectivity/service-kit/http'
import { Health } from '@connectivity/service-kit/service'
import { eventually } from '@connectivity/testing/eventually'
import { waitsEnded } from '../src/forwarding/waiting/waiting-metrics.js'
import { signatureHeaders } from './partner.js'
import { WaitingPartner } from './waiting-partner.js'

describe('a request that waits for a change', () => {
  const waiting = new WaitingPartner()
  const { gateway, feed, page, looks, begun, untilWaiting, publish } = waiting
  beforeAll(waiting.start)
  afterAll(() => gateway.stop())
  beforeEach(waiting.connect)

  const ended = async (by: string) => (await waitsEnded.get()).values.find(({ labels }) => labels.by === by)?.value ?? 0

  it('is answered by the next change, with the headers of its beginning', async () => {
    const { answer } = await begun()
    publish()
    const { status, json, headers } = await answer
    expect({ status, json }).toEqual({ status: 200, json: { page: 1 } })
    expect(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']).toBeDefined()
    expect(headers[NOTHING_NEW_HEADER]).toBeUndefined()
    expect(headers['preference-applied']).toBeUndefined()
    expect(looks()).toEqual([ONLY_NEWS, ONLY_NEWS])
    await untilWaiting(0)
  })

  it('is answered at once when there is news', async () => {
    waiting.news = '{"page":2}'
    expect((await waiting.partner.get(page())).json).toEqual({ page: 2 })
    expect(looks()).toHaveLength(1)
  })

  it('loses no change that comes during its look', async () => {
    feed.script = (_request, response) => {
      const found = waiting.news
      publish()
      // The look has found nothing; the notification overtakes its answer.
      setTimeout(() => {
        if (found === null) response.writeHead(304, { [NOTHING_NEW_HEADER]: '1' }).end()
        else response.end(found)
      }, 50)
    }
    expect((await waiting.partner.get(page())).json).toEqual({ page: 1 })
    expect(looks()).toHaveLength(2)
  })

  it('goes on waiting after a change that leaves its answer as it was', async () => {
    const { answer } = await begun()
    feed.changed(waiting.connection)
    await eventually(() => expect(looks()).toHaveLength(2))
    await untilWaiting(1)
    publish()
    expect((await answer).status).toBe(200)
  })

  it('goes on waiting while its feed is being filled, and is logged as it was answered', async () => {
    const { answer } = await begun()
    const { script } = feed
    const refusal = { schema_version: '1.0.0', error: { code: 'service_unavailable', message: 'filling' } }
    feed.script = (_request, response) => {
      const headers = { [NOTHING_NEW_HEADER]: '1', [ERROR_CODE_HEADER]: refusal.error.code, 'retry-after': '2' }
      response.writeHead(503, headers).end(JSON.stringify(refusal))
    }
    feed.changed(waiting.connection)
    await eventually(() => expect(looks()).toHaveLength(2))
    feed.changed(waiting.connection)
    await eventually(() => expect(looks()).toHaveLength(3))
    feed.script = script
    publish()
    const { status, json, headers } = await answer
    expect({ status, json }).toEqual({ status: 200, json: { page: 1 } })
    const { requests } = await eventually(async () => {
      const log = (await waiting.partner.get(`/requests?correlation_id=${headers['x-correlation-id']}`)).json
      expect(log).toMatchObject({ requests: [{}] })
      return log as { requests: object[] }
    })
    expect(requests).toMatchObject([{ status: 200, code: null, details: [] }])
  })

  it('looks again after the stream of changes was lost', async () => {
    const { answer } = await begun()
    waiting.news = '{"page":3}'
    feed.breakStreams()
    expect((await answer).json).toEqual({ page: 3 })
  })

  it('gets the answer without news when its time is over', async () => {
    const startedAt = performance.now()
    const answer = await waiting.partner.get(page('&wait=1'))
    expect(performance.now() - startedAt).toBeGreaterThan(950)
    expect(answer).toMatchObject({ status: 304, headers: { 'service-checkpoint': '2026-11-20T10:00:00.000Z' } })
    expect(looks()).toEqual([ONLY_NEWS, undefined])
  })

  it('counts no lost change when its last look finds an empty page', async () => {
    const before = await ended('backstop')
    feed.script = (_request, response) => response.writeHead(200, { [NOTHING_NEW_HEADER]: '1' }).end('{"empty":true}')
    expect((await waiting.partner.get(page('&wait=1'))).json).toEqual({ empty: true })
    await untilWaiting(0)
    expect(await ended('backstop')).toBe(before)
  })

  it('counts a change that only its last look finds', async () => {
    const before = await ended('backstop')
    const { answer } = await begun('&wait=3')
    waiting.news = '{"page":4}'
    expect((await answer).json).toEqual({ page: 4 })
    await eventually(async () => expect(await ended('backstop')).toBe(before + 1))
    await untilWaiting(0)
  })

  it('may ask by preference, and the parameter wins', async () => {
    const preferred = await waiting.partner.get(page(''), { headers: { Prefer: 'respond-async, wait=1' } })
    expect(preferred).toMatchObject({ status: 304, headers: { 'preference-applied': 'wait=1' } })
    const none = await waiting.partner.get(page('&wait=0'), { headers: { Prefer: 'wait=20' } })
    expect(none.status).toBe(304)
    expect(none.headers['preference-applied']).toBeUndefined()
    const ignored = await waiting.partner.get(page(''), { headers: { Prefer: 'wait=26' } })
    expect(ignored.headers['preference-applied']).toBeUndefined()
    waiting.news = '{"page":5}'
    const atOnce = await waiting.partner.get(page(''), { headers: { Prefer: 'wait=20' } })
    expect(atOnce.headers['preference-applied']).toBeUndefined()
  })

  it('is answered at once when two of its connection wait already', async () => {
    const first = [waiting.partner.get(page()), waiting.partner.get(page())]
    await untilWaiting(2)
    expect((await waiting.partner.get(page())).status).toBe(304)
    await eventually(() => expect(looks()).toHaveLength(3))
    publish()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('waits while two of its connection look, and only two wait of three that look together', async () => {
    const looking: http.ServerResponse[] = []
    const { script } = feed
    feed.script = (_request, response) => looking.push(response)
    const others = [waiting.partner.get(page()), waiting.partner.get(page())]
    await eventually(() => expect(looking).toHaveLength(2))
    feed.script = script
    const waits = waiting.partner.get(page())
    await untilWaiting(1)
    for (const response of looking) response.writeHead(304, { [NOTHING_NEW_HEADER]: '1' }).end()
    expect((await Promise.race(others)).status).toBe(304)
    await untilWaiting(2)
    publish()
    expect((await waits).status).toBe(200)
    expect((await Promise.all(others)).map(({ status }) => status).sort()).toEqual([200, 304])
  })

  it('is answered at once as HEAD', async () => {
    const { hostname, port } = new URL(gateway.publicOrigin)
    const path = BASE_PATH + page()
    const headers = signatureHeaders(waiting.partner.key, path, { method: 'HEAD' })
    const { statusCode } = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const sent = http.request({ hostname, port, path, method: 'HEAD', headers, agent: false }, resolve)
      sent.on('error', reject).end()
    })
    expect(statusCode).toBe(304)
  })

  it('leaves its place to another request when its page begins', async () => {
    const slow = [waiting.partner.get(page()), waiting.partner.get(page())]
    await untilWaiting(2)
    await eventually(() => expect(looks()).toHaveLength(2))
    const unfinished: http.ServerResponse[] = []
    const { script } = feed
    feed.script = (_request, response) => {
      response.writeHead(200).write('{"page":')
      unfinished.push(response)
    }
    feed.changed(waiting.connection)
    await eventually(() => expect(unfinished).toHaveLength(2))
    feed.script = script
    const third = waiting.partner.get(page())
    await untilWaiting(1)
    for (const response of unfinished) response.end('6}')
    expect((await Promise.all(slow)).map(({ json }) => json)).toEqual([{ page: 6 }, { page: 6 }])
    publish()
    expect((await third).json).toEqual({ page: 1 })
  })

  it('leaves its place when its time is over, whatever its last look finds', async () => {
    const { answer } = await begun('&wait=3')
    waiting.news = '{"page":7}'
    await answer
    waiting.news = null
    const next = [waiting.partner.get(page()), waiting.partner.get(page())]
    await untilWaiting(2)
    publish()
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('frees its place when its client leaves', async () => {
    const { hostname, port } = new URL(gateway.publicOrigin)
    const path = BASE_PATH + page()
    const request = http.get({
      hostname,
      port,
      path,
      headers: signatureHeaders(waiting.partner.key, path),
      agent: false,
    })
    request.on('error', () => undefined)
    await untilWaiting(1)
    await eventually(() => expect(looks()).toHaveLength(1))
    request.destroy()
    await untilWaiting(0)
  })

  // Stops the gateway, so it comes last.
  it('is answered at once when the gateway stops', async () => {
    const { answer } = await begun()
    gateway.app.get(Health, { strict: false }).markStopping()
    expect((await answer).status).toBe(304)
    expect(looks()).toHaveLength(1)
  })
})

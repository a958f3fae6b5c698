import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call, type Partner, raw, refused, signatureHeaders, type SigningKey } from './partner.js'

let gateway: GatewayUnderTest
let key: SigningKey
let partner: Partner
let page: string
beforeAll(async () => {
  gateway = await new GatewayUnderTest().start()
  const connection = await gateway.pilotConnection(await gateway.approvedApplication())
  key = await gateway.signingKey(connection)
  partner = gateway.partner(key)
  page = `/reservations?property_id=${connection}`
})
afterAll(() => gateway.stop())

describe('routes', () => {
  it.each([
    '/nothing',
    '/reservations/',
    '//reservations',
    '/./reservations',
    '/Reservations',
    '/%72eservations',
    '/%zz',
    '',
    '/properties%3f',
  ])('does not know %j: 404 after authentication, 401 before', async (path) => {
    expect(await partner.get(path)).toMatchObject(refused(404, 'not_found'))
    expect((await call(gateway.publicOrigin, BASE_PATH + path)).status).toBe(401)
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'])(
    '%s is not taken: 405 with Allow',
    async (method) => {
      const answer = await partner.get('/properties', { method })
      expect(answer).toMatchObject(refused(405, 'method_not_allowed'))
      expect(answer.headers.allow).toBe('GET, HEAD')
      expect((await call(gateway.publicOrigin, `${BASE_PATH}/properties`, { method })).status).toBe(401)
    },
  )

  it.each(['/digest', '/digest/rows', '/status', '/proofs'])('names the methods of /reservations%s', async (path) => {
    const [method, allowed] = path === '/proofs' ? ['GET', 'POST'] : ['POST', 'GET, HEAD']
    const answer = await partner.get(`/reservations${path}`, { method })
    expect(answer).toMatchObject(refused(405, 'method_not_allowed'))
    expect(answer.headers.allow).toBe(allowed)
  })

  it('answers HEAD as GET without a body', async () => {
    gateway.feed.script = (_request, response) => response.setHeader('etag', 'W/"1"').end('{"a":1}')
    const compare = async (path: string) => {
      const [head, get] = [await partner.get(path, { method: 'HEAD' }), await partner.get(path)]
      expect(head).toMatchObject({ status: 200, text: '' })
      for (const name of ['content-length', 'etag']) expect(head.headers[name]).toBe(get.headers[name])
    }
    // An earlier poll may be recorded in between, and GET /properties shows the time of the last one.
    for (const path of ['/properties', page]) await eventually(() => compare(path))
    expect(await partner.get('/nothing', { method: 'HEAD' })).toMatchObject({ status: 404, text: '' })
  })
})

describe('the wire', () => {
  const head = (target: string, ...headers: string[]) => [`GET ${target} HTTP/1.1`, ...headers, '', ''].join('\r\n')

  it.each([
    ['a long request line', head(`/${'a'.repeat(17_000)}`, 'Host: h'), 414, 'uri_too_long'],
    ['long headers', head('/', 'Host: h', `X: ${'a'.repeat(17_000)}`), 431, 'request_header_fields_too_large'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: h\r\n\r\n', 400, 'invalid_request'],
    ['no HTTP', 'hello\r\n\r\n', 400, 'invalid_request'],
    ['no Host', head('/', 'Connection: close'), 400, 'invalid_request'],
    ['two Hosts', head('/', 'Host: a', 'Host: a', 'Connection: close'), 400, 'invalid_request'],
    [
      'an absolute target',
      head(`http://h${BASE_PATH}/properties`, 'Host: h', 'Connection: close'),
      400,
      'invalid_request',
    ],
    [
      'length and chunks',
      head('/', 'Host: h', 'Content-Length: 1', 'Transfer-Encoding: chunked'),
      400,
      'invalid_request',
    ],
  ])('refuses %s in the envelope', async (_what, bytes, status, code) => {
    const answer = await raw(gateway.publicOrigin, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as object
    expect(body).toMatchObject({ schema_version: '1.0.0', error: { code } })
    expect(answer.toLowerCase()).toContain('cache-control: private, no-store')
  })
})

describe('the two listeners', () => {
  it.each(['/ops/v1/applications', '/health/ready', '/health/live', '/metrics', '/nowhere'])(
    '%s is nothing in public',
    async (path) => {
      expect((await call(gateway.publicOrigin, path)).status).toBe(401)
      expect(await partner.send(path)).toMatchObject(refused(404, 'not_found'))
    },
  )

  it.each(['/properties', '/reservations', '/nothing'])('do not serve %s in private', async (path) => {
    const headers = signatureHeaders(key, BASE_PATH + path)
    expect(await call(gateway.privateOrigin, BASE_PATH + path, { headers })).toMatchObject(refused(404, 'not_found'))
  })

  it('show health and metrics in private', async () => {
    expect(await call(gateway.privateOrigin, '/health/live')).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect((await call(gateway.privateOrigin, '/metrics')).text).toContain('process_cpu')
  })
})

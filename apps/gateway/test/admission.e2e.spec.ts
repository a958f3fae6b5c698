import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call, now, type Partner, raw, signatureHeaders, type SigningKey } from './partner.js'

describe('admission', () => {
  const gateway = new GatewayUnderTest()
  let connection: string
  let foreign: string
  let key: SigningKey
  let partner: Partner
  let page: string

  beforeAll(async () => {
    await gateway.start()
    const application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
    key = await gateway.signingKey(connection)
    partner = gateway.partner(key)
    foreign = await gateway.pilotConnection(await gateway.approvedApplication())
    page = `/reservations?property_id=${connection}`
  })
  afterAll(() => gateway.stop())

  const refused = (status: number, code: string, detail?: object) => ({
    status,
    json: {
      schema_version: '1.0.0',
      error: {
        code,
        message: expect.stringMatching(/^.{10,}$/),
        correlation_id: expect.stringMatching(/^[A-Za-z0-9._-]{8,64}$/),
        ...(detail ? { details: expect.arrayContaining([expect.objectContaining(detail)]) } : {}),
      },
    },
  })

  it('lets a signed request through', async () => {
    expect((await partner.get(page)).status).toBe(200)
    expect((await partner.get('/properties')).status).toBe(200)
  })

  it('starts every body with the schema version and marks every answer as private', async () => {
    const answers = [
      await partner.get('/properties'),
      await partner.get('/nothing'),
      await call(gateway.publicOrigin, '/'),
    ]
    for (const { text, headers, json } of answers) {
      expect(text).toMatch(/^\{"schema_version":"1\.0\.0",/)
      expect(headers['cache-control']).toBe('private, no-store')
      expect(headers['x-correlation-id']).toMatch(/^[A-Za-z0-9._-]{8,64}$/)
      if (json.error) expect(json.error.correlation_id).toBe(headers['x-correlation-id'])
    }
  })

  it.each([
    ['my-own-id.1', true],
    ['short', false],
    ['with space inside', false],
  ])('keeps a correlation id %j only in the accepted form', async (given, kept) => {
    const { headers } = await partner.get('/nothing', { headers: { 'X-Correlation-Id': given } })
    expect(headers['x-correlation-id'] === given).toBe(kept)
  })

  describe('authentication', () => {
    const mismatch = refused(401, 'invalid_signature', { code: 'signature_mismatch' })

    it.each(['/properties', '/reservations', '/nothing', '/auth/health'])('is required at %s', async (path) => {
      const answer = await call(gateway.publicOrigin, BASE_PATH + path)
      expect(answer).toMatchObject(refused(401, 'invalid_signature', { code: 'missing_header' }))
    })

    it('answers an unknown key exactly like a wrong secret', async () => {
      const wrong = await gateway.partner({ ...key, signing_secret: 'wrong' }).get(page)
      const unknown = await gateway.partner({ ...key, key_id: 'key_unknown' }).get(page)
      expect(wrong).toMatchObject(mismatch)
      const comparable = ({ json, status }: typeof wrong) => ({ status, error: { ...json.error, correlation_id: '' } })
      expect(comparable(unknown)).toEqual(comparable(wrong))
    })

    it.each([
      [300, 200],
      [-299, 200],
      [-302, 401],
      [303, 401],
    ])('with a clock that is %d s off gets %d', async (skew, status) => {
      const answer = await partner.get(page, { timestamp: now() + skew })
      expect(answer.status).toBe(status)
      if (status === 401) {
        const clock = { server_time: expect.stringMatching(/^20.{21}Z$/), server_unix_time: expect.closeTo(now(), -1) }
        expect(answer).toMatchObject(refused(401, 'invalid_signature', { code: 'timestamp_out_of_window', ...clock }))
      }
    })

    it('covers the method, the path and the body', async () => {
      expect(await partner.get(page, { signedPath: `${BASE_PATH}/properties` })).toMatchObject(mismatch)
      expect(await partner.get(page, { signedPath: `${BASE_PATH}/reservations/` })).toMatchObject(mismatch)
      const headers = signatureHeaders(key, BASE_PATH + page, { method: 'HEAD' })
      expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers })).toMatchObject(mismatch)
      const other = signatureHeaders(key, BASE_PATH + page, { body: 'a' })
      expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers: other, body: 'b' })).toMatchObject(mismatch)
      expect((await partner.get(page, { body: 'ignored but signed' })).status).toBe(200)
    })

    it('does not cover the query and takes upper-case hex', async () => {
      const headers = signatureHeaders(key, `${BASE_PATH}/reservations`)
      headers['X-Service-Signature'] = headers['X-Service-Signature']!.toUpperCase()
      expect((await call(gateway.publicOrigin, BASE_PATH + page, { headers })).status).toBe(200)
    })

    it('refuses a header sent twice', async () => {
      const headers = [
        ...Object.entries(signatureHeaders(key, BASE_PATH + page)).flat(),
        'X-Service-Key-Id',
        key.key_id,
        'Host',
        'h',
      ]
      const answer = await call(gateway.publicOrigin, BASE_PATH + page, { headers })
      expect(answer).toMatchObject(
        refused(401, 'invalid_signature', { pointer: 'X-Service-Key-Id', code: 'malformed_header' }),
      )
    })

    it('refuses tokens, other schemes and both mechanisms at once', async () => {
      const bearer = { Authorization: 'Bearer cat_123' }
      expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers: bearer })).toMatchObject(
        refused(401, 'invalid_token'),
      )
      const basic = { Authorization: 'Basic eDp5' }
      expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers: basic })).toMatchObject(
        refused(401, 'invalid_token'),
      )
      expect(await partner.get(page, { headers: bearer })).toMatchObject(refused(401, 'invalid_signature'))
    })

    it('fails once the credential has expired', async () => {
      const expires_at = new Date(Date.now() + 1_000).toISOString()
      const short = gateway.partner(await gateway.signingKey(connection, { expires_at }))
      expect((await short.get(page)).status).toBe(200)
      while (Date.now() < Date.parse(expires_at)) await new Promise(setImmediate)
      expect(await short.get(page)).toMatchObject(mismatch)
    })
  })

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

  describe('scope, assignment and state', () => {
    it('report a missing scope before any fault of the property', async () => {
      const narrow = gateway.partner(await gateway.signingKey(connection, { scopes: ['ari:read'] }))
      expect(await narrow.get('/reservations')).toMatchObject(refused(403, 'insufficient_scope'))
      expect((await narrow.get('/properties')).status).toBe(200)
    })

    it.each([
      ['', 'missing'],
      ['?limit=5', 'missing'],
      ['?property_id=', 'empty'],
      ['?property_id=a&property_id=a', 'repeated'],
      ['?property_id[]=a', 'array'],
      ['?property_id=a%00', 'nul'],
      [`?property_id=${'a'.repeat(1025)}`, 'too_long'],
    ])('require one well-formed property_id: %s', async (query, code) => {
      expect(await partner.get(`/reservations${query}`)).toMatchObject(
        refused(400, 'invalid_request', { pointer: 'property_id', code }),
      )
    })

    it("give an unknown property the same answer as another partner's", async () => {
      const [a, b] = [
        await partner.get('/reservations?property_id=con_none'),
        await partner.get(`/reservations?property_id=${foreign}`),
      ]
      expect(a).toMatchObject(refused(403, 'property_forbidden'))
      expect({ ...b.json.error, correlation_id: '' }).toEqual({ ...a.json.error, correlation_id: '' })
    })

    it('limit a restricted credential to its own connection', async () => {
      const other = await gateway.pilotConnection(
        (await gateway.ops('GET', `/connections/${connection}`)).json.application_id as string,
        'prop_2',
      )
      const restricted = gateway.partner(await gateway.signingKey(connection, { own_connection_only: true }))
      expect((await partner.get(`/reservations?property_id=${other}`)).status).toBe(200)
      expect(await restricted.get(`/reservations?property_id=${other}`)).toMatchObject(
        refused(403, 'property_forbidden'),
      )
      expect((await restricted.get('/properties')).json.properties).toMatchObject([{ property_id: connection }])
      expect((await restricted.get('/auth/health')).json.property_ids).toEqual([connection])
    })

    it('report the state that keeps a connection from serving', async () => {
      const application = await gateway.approvedApplication()
      const { json } = await gateway.ops('POST', '/connections', {
        application_id: application,
        source_property_id: 'prop_9',
        external_property_id: 'X',
        environment: 'sandbox',
        reason: 'test',
      })
      const own = gateway.partner(await gateway.signingKey(json.property_id as string))
      const ask = () => own.get(`/reservations?property_id=${json.property_id}`)
      const move = (to: string) =>
        gateway.ops('POST', `/connections/${json.property_id}/transitions`, { to, reason: 'test' })
      expect(await ask()).toMatchObject(refused(403, 'connection_disabled', { code: 'provisioning' }))
      await move('pilot')
      await gateway.untilServed(ask)
      await move('disabled')
      await gateway.untilAnswered(ask, 403)
      expect(await ask()).toMatchObject(refused(403, 'connection_disabled', { code: 'disabled' }))
      expect((await own.get('/auth/health')).status).toBe(200)
      await move('closed')
      await gateway.until(ask, ({ json: { error } }) => error!.details![0]!.code === 'closed')
      expect((await own.get('/properties')).status).toBe(200)
    })
  })

  describe('the order of checks', () => {
    const bad = () => gateway.partner({ ...key, signing_secret: 'wrong' })
    it.each([
      [
        'size before authentication',
        async () => bad().get(page, { headers: { 'Content-Length': '1048577' }, body: '' }),
        413,
      ],
      ['authentication before the route', async () => bad().get('/nothing'), 401],
      ['authentication before the property', async () => bad().get('/reservations'), 401],
      ['the route before the property', async () => partner.get('/nothing?property_id='), 404],
      ['the method before the property', async () => partner.get('/reservations', { method: 'POST' }), 405],
      ['the property before other parameters', async () => partner.get('/reservations?limit=x'), 400],
    ])('is %s', async (_name, ask, status) => {
      expect((await ask()).status).toBe(status)
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
})

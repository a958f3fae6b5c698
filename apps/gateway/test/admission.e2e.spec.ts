import { GatewayUnderTest } from './gateway-under-test.js'
import { call, type Partner, refused, type SigningKey } from './partner.js'

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

    it('read an id in the path like one in the query', async () => {
      const encoded = connection.replace('_', '%5F')
      expect((await partner.get(`/properties/${encoded}/mappings`)).status).toBe(200)
      expect((await partner.get(`/properties/${encoded}%zz/mappings`)).status).toBe(403)
      for (const id of ['a%00', 'a'.repeat(1025)]) {
        const paths = [
          ['property_id', `/properties/${id}/mappings`],
          ['reservation_id', `/reservations/${id}?property_id=${connection}`],
          ['reservation_id', `/reservations/${id}/timeline?property_id=${connection}`],
          ['event_id', `/reservations/events/${id}/attempts?property_id=${connection}`],
          ['correlation_id', `/requests/${id}`],
        ] as const
        for (const [pointer, path] of paths) {
          expect(await partner.get(path)).toMatchObject(refused(400, 'invalid_request', { pointer }))
        }
      }
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
})

import { type Answer } from './partner.js'
import { GatewayUnderTest } from './gateway-under-test.js'

const contact = { name: 'Ada Lovelace', email: 'ada@example.com' }
const reason = 'ticket 4711'
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

describe("the operators' interface", () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())

  const refused = (status: number, code: string) => ({ status, json: { schema_version: '1.0.0', error: { code } } })
  const faults = ({ json }: Answer) => json.error!.details!.map(({ pointer, code }) => `${pointer} ${code}`)
  const newConnection = (application_id: string, given: object = {}) =>
    gateway.ops('POST', '/connections', {
      application_id,
      source_property_id: 'prop_1',
      external_property_id: 'PMS-100',
      environment: 'sandbox',
      reason,
      ...given,
    })
  const move = (id: unknown, to: string, given: object = {}) =>
    gateway.ops('POST', `/connections/${String(id)}/transitions`, { to, reason, ...given })

  it('limits connections of the console to its own origin without an identity provider', async () => {
    const { headers } = await fetch(`${gateway.privateOrigin}/console`)
    expect(headers.get('content-security-policy')).not.toContain('connect-src')
  })

  describe('applications', () => {
    it('are created pending with the default limits, approved, suspended and resumed', async () => {
      const { status, json } = await gateway.ops('POST', '/applications', { name: 'Demo PMS', contact, reason })
      expect(status).toBe(201)
      expect(json).toEqual({
        schema_version: '1.0.0',
        application_id: expect.stringMatching(/^app_[0-9a-f]{32}$/),
        name: 'Demo PMS',
        contact,
        state: 'pending',
        limits: expect.objectContaining({ feed: { per_minute: 600, burst: 60 }, token: { per_minute: 10, burst: 10 } }),
        created_at: TIME,
        approved_at: null,
      })
      const act = (verb: string) => gateway.ops('POST', `/applications/${json.application_id}/${verb}`, { reason })
      expect(await act('suspend')).toMatchObject(refused(409, 'invalid_transition'))
      expect(await act('approve')).toMatchObject({ status: 200, json: { state: 'approved', approved_at: TIME } })
      expect(await act('approve')).toMatchObject(refused(409, 'invalid_transition'))
      expect(await act('suspend')).toMatchObject({ status: 200, json: { state: 'suspended' } })
      expect(await act('approve')).toMatchObject({ status: 200, json: { state: 'approved' } })
      const found = await gateway.ops('GET', `/applications/${json.application_id}`)
      expect(found).toMatchObject({ status: 200, json: { name: 'Demo PMS', state: 'approved' } })
    })

    it('take limits class by class', async () => {
      const id = await gateway.approvedApplication()
      const put = (limits: object) => gateway.ops('PUT', `/applications/${id}/limits`, { limits, reason })
      expect(await put({ feed: { per_minute: 1, burst: 1 } })).toMatchObject({
        status: 200,
        json: { limits: { feed: { per_minute: 1, burst: 1 }, reads: { per_minute: 1_200, burst: 60 } } },
      })
      const answer = await put({ feed: { per_minute: 0, burst: 1.5 }, reads: { per_minute: 5 }, other: {} })
      expect(faults(answer).toSorted()).toEqual([
        '/limits/feed/burst invalid_value',
        '/limits/feed/per_minute invalid_value',
        '/limits/other unknown_field',
        '/limits/reads/burst missing',
      ])
    })

    it('are paged', async () => {
      for (let index = 0; index < 3; index += 1) await gateway.approvedApplication()
      const seen: string[] = []
      let cursor = ''
      do {
        const { json } = await gateway.ops('GET', `/applications?limit=2${cursor}`)
        const page = json as unknown as {
          applications: { application_id: string }[]
          pagination: { limit: number; count: number; has_more: boolean; next_cursor: string | null }
        }
        expect(page.pagination).toMatchObject({ limit: 2, count: page.applications.length })
        expect(page.pagination.has_more).toBe(page.pagination.next_cursor !== null)
        seen.push(...page.applications.map(({ application_id }) => application_id))
        cursor = page.pagination.next_cursor ? `&cursor=${page.pagination.next_cursor}` : ''
      } while (cursor)
      const all = (await gateway.ops('GET', '/applications?limit=100')).json.applications as {
        application_id: string
      }[]
      expect(seen).toEqual(all.map(({ application_id }) => application_id))
    })

    it.each(['limit=0', 'limit=101', 'limit=010', 'limit=1.5', 'limit=', 'limit=1&limit=1'])(
      'refuse %s',
      async (query) => {
        expect(await gateway.ops('GET', `/applications?${query}`)).toMatchObject(refused(400, 'invalid_request'))
      },
    )

    it.each(['x', 'YXBwXzE=', '%00'])('refuse the cursor %s', async (cursor) => {
      expect((await gateway.ops('GET', `/applications?cursor=${cursor}`)).status).toBe(400)
    })

    it.each(['app_none', 'x', '%00', '%zz', 'a'.repeat(300), "'; DROP TABLE application"])(
      'do not know %s',
      async (id) => {
        const path = `/applications/${id.startsWith('%') ? id : encodeURIComponent(id)}`
        expect(await gateway.ops('GET', path)).toMatchObject(refused(404, 'not_found'))
        expect(await gateway.ops('POST', `${path}/approve`, { reason })).toMatchObject(refused(404, 'not_found'))
      },
    )
  })

  describe('connections', () => {
    it('are created provisioning, once for application, property and environment', async () => {
      const application = await gateway.approvedApplication()
      const { status, json } = await newConnection(application)
      expect(status).toBe(201)
      expect(json).toMatchObject({
        schema_version: '1.0.0',
        property_id: expect.stringMatching(/^con_[0-9a-f]{32}$/),
        application_id: application,
        source_property_id: 'prop_1',
        external_property_id: 'PMS-100',
        environment: 'sandbox',
        state: 'provisioning',
        created_at: TIME,
      })
      expect(await newConnection(application)).toMatchObject(refused(409, 'connection_exists'))
      expect((await newConnection(application, { environment: 'production' })).status).toBe(201)
      expect((await newConnection(application, { source_property_id: 'prop_2' })).status).toBe(201)
      await move(json.property_id, 'closed')
      expect((await newConnection(application)).status).toBe(201)
      expect(await newConnection('app_none')).toMatchObject(refused(404, 'not_found'))
      expect(faults(await newConnection(application, { environment: 'test', source_property_id: 'a\nb' }))).toEqual(
        expect.arrayContaining(['/environment invalid_value', '/source_property_id invalid_value']),
      )
    })

    it('move as their states allow', async () => {
      const application = await gateway.approvedApplication()
      const id = (await newConnection(application)).json.property_id
      expect(await move(id, 'production')).toMatchObject(refused(409, 'invalid_transition'))
      for (const to of ['pilot', 'certification_pending']) {
        expect(await move(id, to)).toMatchObject({ status: 200, json: { state: to, environment: 'sandbox' } })
      }
      expect(await move(id, 'production')).toMatchObject({
        status: 200,
        json: { state: 'production', environment: 'production' },
      })
      const disabled = await move(id, 'disabled', { public_reason: 'Invoice overdue' })
      expect(disabled).toMatchObject({
        json: { state: 'disabled', public_reason: 'Invoice overdue', disabled_at: TIME },
      })
      const key = await gateway.signingKey(id as string)
      expect((await gateway.partner(key).get('/properties')).json.properties).toMatchObject([
        { state: 'disabled', disabled_reason: 'Invoice overdue', disabled_at: TIME, environment: 'production' },
      ])
      expect(await move(id, 'enabled')).toMatchObject({ status: 200, json: { state: 'production', disabled_at: null } })
      await move(id, 'disabled', { reason: 'only for operators' })
      expect((await gateway.partner(key).get('/properties')).json.properties).toMatchObject([{ disabled_reason: null }])
      await move(id, 'enabled')
      const { error } = (await move(id, 'pilot')).json
      expect(error!.message).toBe(
        'The connection is production and cannot move to pilot. It can be moved to: disabled, closed.',
      )
      expect((await move(id, 'nowhere')).status).toBe(400)
      expect(await move('con_none', 'pilot')).toMatchObject(refused(404, 'not_found'))
    })

    it('become production only once', async () => {
      const application = await gateway.approvedApplication()
      await newConnection(application, { environment: 'production' })
      const id = (await newConnection(application)).json.property_id
      for (const to of ['pilot', 'certification_pending']) await move(id, to)
      expect(await move(id, 'production')).toMatchObject(refused(409, 'connection_exists'))
      expect((await gateway.ops('GET', `/connections/${String(id)}`)).json.state).toBe('certification_pending')
    })

    it('are listed by application, state, property, code and key', async () => {
      const application = await gateway.approvedApplication()
      const pilot = await gateway.pilotConnection(application, 'prop_a')
      await newConnection(application, { source_property_id: 'prop_b' })
      const list = async (query: string) =>
        ((await gateway.ops('GET', `/connections?${query}`)).json.connections as { property_id: string }[]).length
      expect(await list(`application_id=${application}`)).toBe(2)
      expect(await list(`application_id=${application}&state=pilot`)).toBe(1)
      expect(await list(`application_id=${application}&source_property_id=prop_b`)).toBe(1)
      const { key_id } = await gateway.signingKey(pilot)
      expect(await list(`key_id=${key_id}`)).toBe(1)
      expect(await list(`key_id=${key_id}&state=disabled`)).toBe(0)
      expect(await list('key_id=key_unknown')).toBe(0)
      const { external_property_id } = (await gateway.ops('GET', `/connections/${pilot}`)).json
      expect(await list(`application_id=${application}&external_property_id=${String(external_property_id)}`)).toBe(1)
      expect((await gateway.ops('GET', '/connections?state=odd')).status).toBe(400)
      expect((await gateway.ops('GET', `/connections/${pilot}`)).json).toMatchObject({
        property_id: pilot,
        state: 'pilot',
      })
    })
  })

  describe('credentials', () => {
    const issue = (connection: string, given: object = {}) =>
      gateway.ops('POST', `/connections/${connection}/credentials`, { type: 'signing', reason, ...given })

    it('show their secret once', async () => {
      const connection = await gateway.pilotConnection(await gateway.approvedApplication())
      const { status, json } = await issue(connection, { scopes: ['reservations:read'], own_connection_only: true })
      expect(status).toBe(201)
      expect(json).toMatchObject({
        credential_id: expect.stringMatching(/^cred_/),
        property_id: connection,
        type: 'signing',
        key_id: expect.stringMatching(/^key_[0-9a-f]{44}$/),
        signing_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        scopes: ['reservations:read'],
        own_connection_only: true,
        expires_at: null,
        last_used_at: null,
      })
      const list = await gateway.ops('GET', `/connections/${connection}/credentials`)
      expect(list.json.credentials).toMatchObject([{ credential_id: json.credential_id, key_id: json.key_id }])
      const audit = await gateway.ops('GET', `/audit?subject=${String(json.credential_id)}`)
      expect(audit.json.entries).toHaveLength(1)
      for (const { text } of [list, audit]) expect(text).not.toContain(json.signing_secret)
      expect(await gateway.storedText()).not.toContain(json.signing_secret)
    })

    it('are refused for invalid requests', async () => {
      const application = await gateway.approvedApplication()
      const connection = await gateway.pilotConnection(application)
      expect(faults(await issue(connection, { expires_at: '2020-01-01T00:00:00Z' }))).toEqual(['/expires_at in_past'])
      expect(faults(await issue(connection, { expires_at: 'tomorrow' }))).toEqual(['/expires_at invalid_value'])
      expect(faults(await issue(connection, { scopes: ['all'] }))).toEqual(['/scopes/0 invalid_value'])
      expect(faults(await issue(connection, { scopes: null }))).toEqual(['/scopes invalid_value'])
      expect(await issue('con_none')).toMatchObject(refused(404, 'not_found'))
      await gateway.ops('POST', `/applications/${application}/suspend`, { reason })
      expect(await issue(connection)).toMatchObject(refused(409, 'application_not_approved'))
    })

    it('are revoked once, even if revoked again', async () => {
      const connection = await gateway.pilotConnection(await gateway.approvedApplication())
      const { credential_id } = await gateway.signingKey(connection)
      const revoke = () => gateway.ops('POST', `/credentials/${credential_id}/revoke`, { reason })
      const [first, second] = [await revoke(), await revoke()]
      expect(first).toMatchObject({ status: 200, json: { revoked_at: TIME } })
      expect(second.text).toBe(first.text)
      const { json } = await gateway.ops('GET', `/audit?subject=${credential_id}`)
      expect(json.entries).toMatchObject([{ action: 'credential.revoke' }, { action: 'credential.issue' }])
      expect(await gateway.ops('POST', '/credentials/cred_none/revoke', { reason })).toMatchObject(
        refused(404, 'not_found'),
      )
    })
  })

  describe('the audit', () => {
    it('records actor, action, time and reason, with before and after', async () => {
      const started = new Date().toISOString()
      const application = await gateway.approvedApplication()
      const done = await gateway.ops('POST', `/applications/${application}/suspend`, { reason: 'Überfällig' })
      const { json } = await gateway.ops('GET', `/audit?subject=${application}&actor=olga&from=${started}`)
      const entries = json.entries as { id: string }[]
      expect(entries).toHaveLength(3)
      expect(entries[0]).toEqual({
        id: expect.stringMatching(/^aud_/),
        at: TIME,
        actor: 'olga',
        action: 'application.suspend',
        subject: application,
        reason: 'Überfällig',
        before: expect.objectContaining({ state: 'approved' }),
        after: expect.objectContaining({ state: 'suspended' }),
        correlation_id: done.headers['x-correlation-id'],
      })
      const count = async (query: string) =>
        ((await gateway.ops('GET', `/audit?subject=${application}&${query}`)).json.entries as object[]).length
      expect(await count(`to=${started}`)).toBe(0)
      expect(await count('actor=somebody')).toBe(0)
      expect((await gateway.ops('GET', '/audit?from=yesterday')).status).toBe(400)
      const first = await gateway.ops('GET', `/audit?subject=${application}&limit=2`)
      const { next_cursor } = first.json.pagination as unknown as { next_cursor: string }
      expect(await count(`limit=2&cursor=${next_cursor}`)).toBe(1)
    })

    it('has no entry for refused changes', async () => {
      const id = await gateway.approvedApplication()
      const entries = async () => ((await gateway.ops('GET', `/audit?subject=${id}`)).json.entries as object[]).length
      const before = await entries()
      await gateway.ops('POST', `/applications/${id}/approve`, { reason })
      await gateway.ops('POST', `/applications/${id}/suspend`, {})
      expect(await entries()).toBe(before)
    })
  })
})

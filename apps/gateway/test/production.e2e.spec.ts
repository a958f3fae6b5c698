import { randomUUID } from 'node:crypto'
import { NO_BODY_HEADER } from '@connectivity/contracts/evidence'
import type { ChecklistItem, ProductionRequestAnswer } from '@connectivity/contracts/production'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Answer, Partner } from './partner.js'

const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
const contact = { name: 'Ada', email: 'ada@example.com' }
/** Items that traffic through the gateway can pass, with the owner's evidence header. */
const observable = [
  ['mappings_verified', 'mapping-complete=3', (id: string) => `/properties/${id}/mappings`],
  ['initial_pull_completed', 'full-pull-end', (id: string) => `/reservations?property_id=${id}`],
  ['new_reservation_seen', 'created', (id: string) => `/reservations?property_id=${id}`],
  ['modification_seen', 'modified', (id: string) => `/reservations?property_id=${id}`],
  ['cancellation_seen', 'cancelled', (id: string) => `/reservations?property_id=${id}`],
] as const

describe('the pilot that grades itself', () => {
  const gateway = new GatewayUnderTest()
  const { feed: services } = gateway
  let connection: string
  let partner: Partner
  /** Evidence header of the services' next answers. */
  let evidence: string | null
  let status: number

  beforeAll(async () => {
    await gateway.start()
    services.script = (_request, response) => {
      if (evidence) response.setHeader('x-internal-evidence', evidence)
      response.statusCode = status
      response.end(status === 304 ? undefined : '{"schema_version":"1.0.0"}')
    }
  })
  afterAll(() => gateway.stop())
  beforeEach(async () => {
    evidence = null
    status = 200
    const application = await gateway.approvedApplication()
    await gateway.ops('PUT', `/applications/${application}/limits`, {
      limits: { mutations: { per_minute: 100_000, burst: 10_000 } },
      reason: 'test',
    })
    connection = await gateway.pilotConnection(application)
    partner = gateway.partner(await gateway.signingKey(connection))
  })

  const read = async (by = partner, id = connection) => {
    const answer = await by.get(`/production/request?property_id=${id}`)
    expect(answer.status).toBe(200)
    return answer.json as unknown as ProductionRequestAnswer
  }
  const passed = async (by = partner, id = connection) =>
    (await read(by, id)).checklist.filter(({ state }) => state === 'passed').map(({ code }) => code)
  /** Signatures bind to their key, so that two requests of one second need different bodies. */
  const submit = (given: object = {}, key = randomUUID()): Promise<Answer> =>
    partner.get('/production/request', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ property_id: connection, contact, notes: key, ...given }),
    })
  const passSeven = async () => {
    await partner.get('/properties')
    for (const [, named, path] of observable) {
      evidence = named
      await partner.get(path(connection))
    }
    evidence = null
    await partner.get('/reservations?property_id=con_unknown')
  }
  const decide = (id: unknown, decision: string, reason = 'ticket 4711') =>
    gateway.ops('POST', `/production-requests/${String(id)}/${decision}`, { reason })
  const stateOf = async () => (await gateway.ops('GET', `/connections/${connection}`)).json.state

  it('begins with eight open items, each with its next step', async () => {
    const { checklist, ...request } = await read()
    expect(request).toEqual({
      schema_version: '1.0.0',
      request_id: null,
      property_id: connection,
      state: 'not_requested',
      submitted_at: null,
      decided_at: null,
      decision_reason: null,
    })
    expect(checklist.map(({ item, state, observed_at }) => [item, state, observed_at])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((item) => [item, 'open', null]),
    )
    expect(checklist.every(({ next_step }) => next_step!.endsWith('.'))).toBe(true)
  })

  it('passes the first item with a GET /properties that lists the connection', async () => {
    const { headers } = await partner.get('/properties')
    const [first] = (await read()).checklist
    const expected: ChecklistItem = {
      item: 1,
      code: 'credentials_issued',
      state: 'passed',
      observed_at: TIME as never,
      evidence_correlation_id: headers['x-correlation-id'] as string,
      next_step: null,
    }
    expect(first).toEqual(expected)
    await partner.get('/properties')
    expect((await read()).checklist[0]).toEqual(first)
  })

  it.each(observable)(
    'passes %s when an answer of the connection showed it, and nothing else',
    async (code, named, path) => {
      evidence = named
      const { headers } = await partner.get(path(connection))
      expect(headers['x-internal-evidence']).toBeUndefined()
      expect(await passed()).toEqual([code])
    },
  )

  it('does not count HEAD, whose answers show nothing', async () => {
    await partner.get('/properties', { method: 'HEAD' })
    for (const [, named, path] of observable) {
      evidence = named
      expect(await partner.get(path(connection), { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    }
    expect(services.last!.headers[NO_BODY_HEADER]).toBe('1')
    expect(await passed()).toEqual([])
  })

  it('does not count answers that are not 200, nor those to another application', async () => {
    evidence = 'full-pull-end,created'
    status = 304
    await partner.get(`/reservations?property_id=${connection}`)
    status = 503
    await partner.get(`/reservations?property_id=${connection}`)
    status = 200
    const other = await gateway.pilotConnection(await gateway.approvedApplication())
    await gateway.partner(await gateway.signingKey(other)).get(`/reservations?property_id=${other}`)
    expect(await passed()).toEqual([])
  })

  it('passes the denial with any 403 property_forbidden, for every connection that the credential may use', async () => {
    const { application_id } = (await gateway.ops('GET', `/connections/${connection}`)).json
    const second = await gateway.pilotConnection(application_id as string, 'prop_2')
    const restricted = gateway.partner(await gateway.signingKey(second, { own_connection_only: true }))
    await restricted.get(`/reservations?property_id=${connection}`)
    expect(await passed(restricted, second)).toEqual(['foreign_property_denied'])
    expect(await passed()).toEqual([])
    await partner.get('/reservations?property_id=con_unknown')
    expect(await passed()).toEqual(['foreign_property_denied'])
  })

  it('refuses a request while items are open, naming each', async () => {
    await partner.get('/properties')
    const { status: answered, json } = await submit()
    expect(answered).toBe(422)
    expect(json.error!.code).toBe('checklist_incomplete')
    expect(json.error!.details!.map(({ code }) => code)).toEqual([
      ...observable.map(([code]) => code),
      'foreign_property_denied',
    ])
  })

  it('is submitted once, rejected, submitted again and approved', async () => {
    await passSeven()
    const key = randomUUID()
    const first = await submit({}, key)
    expect(first).toMatchObject({
      status: 202,
      json: { request_id: expect.stringMatching(/^prq_/), property_id: connection, state: 'submitted' },
    })
    expect((first.json.checklist as ChecklistItem[]).every(({ state }) => state === 'passed')).toBe(true)
    expect(await stateOf()).toBe('certification_pending')
    expect(await submit({}, key)).toMatchObject({ text: first.text, headers: { 'idempotent-replayed': 'true' } })
    expect(await submit()).toMatchObject({ status: 409, json: { error: { code: 'request_already_open' } } })

    expect(await decide(first.json.request_id, 'reject', 'Two rooms are mapped to one')).toMatchObject({
      status: 200,
      json: { request_id: first.json.request_id, property_id: connection, state: 'rejected', contact },
    })
    expect(await stateOf()).toBe('pilot')
    expect(await read()).toMatchObject({
      state: 'rejected',
      decision_reason: 'Two rooms are mapped to one',
      decided_at: TIME,
    })
    expect((await read()).checklist[7]).toMatchObject({ code: 'production_requested', state: 'open' })
    expect(await decide(first.json.request_id, 'approve')).toMatchObject({
      status: 409,
      json: { error: { code: 'invalid_transition' } },
    })

    const second = await submit()
    expect(second.status).toBe(202)
    expect(await decide(second.json.request_id, 'approve')).toMatchObject({ status: 200, json: { state: 'approved' } })
    expect((await gateway.ops('GET', `/connections/${connection}`)).json).toMatchObject({
      state: 'production',
      environment: 'production',
    })
    await gateway.until(submit, ({ json }) => json.error?.code === 'already_in_production')
    expect(await read()).toMatchObject({ request_id: second.json.request_id, state: 'approved' })
    const { json: audit } = await gateway.ops('GET', `/audit?subject=${String(second.json.request_id)}`)
    expect(audit.entries).toMatchObject([
      { action: 'production_request.approve', before: { state: 'submitted' }, after: { state: 'approved' } },
    ])
  })

  it('can still be decided when an operator moved the connection without waiting for it', async () => {
    await passSeven()
    const { json } = await submit()
    await gateway.ops('POST', `/connections/${connection}/transitions`, { to: 'production', reason: 'certified' })
    expect(await decide(json.request_id, 'approve')).toMatchObject({ status: 200, json: { state: 'approved' } })
    expect(await stateOf()).toBe('production')
  })

  it('accepts one of two concurrent requests', async () => {
    await passSeven()
    const answers = await Promise.all([submit(), submit({ go_live_on: '2027-01-31' })])
    expect(answers.map(({ status: answered }) => answered).toSorted()).toEqual([202, 409])
  })

  it.each([
    [{ contact: undefined }, '/contact'],
    [{ contact: { name: 'Ada' } }, '/contact/email'],
    [{ go_live_on: '2027-02-30' }, '/go_live_on'],
    [{ notes: null }, '/notes'],
    [{ more: 1 }, '/more'],
  ])('refuses the body with %j', async (given, pointer) => {
    const { status: answered, json } = await submit(given)
    expect(answered).toBe(400)
    expect(json.error!.details!.map((detail) => detail.pointer)).toContain(pointer)
  })

  it('is listed for operators, filtered by connection and state', async () => {
    await passSeven()
    const { json } = await submit()
    const list = async (query: string) =>
      (
        (await gateway.ops('GET', `/production-requests?${query}`)).json.production_requests as { request_id: string }[]
      ).map(({ request_id }) => request_id)
    expect(await list(`property_id=${connection}`)).toEqual([json.request_id])
    expect(await list(`property_id=${connection}&state=rejected`)).toEqual([])
    const { checklist } = (await gateway.ops('GET', `/production-requests/${String(json.request_id)}`)).json
    expect(checklist).toEqual(json.checklist)
    const passed = { state: 'passed', evidence_correlation_id: expect.any(String) }
    expect(checklist).toMatchObject([1, 2, 3, 4, 5, 6, 7, 8].map((item) => ({ item, ...passed })))
    const listed = (await gateway.ops('GET', `/production-requests?property_id=${connection}`)).json
    expect(listed.production_requests).toMatchObject([{ checklist }])
    expect((await gateway.ops('GET', '/production-requests/prq_unknown')).status).toBe(404)
    expect((await gateway.ops('GET', '/production-requests?state=open')).status).toBe(400)
    expect((await decide('prq_unknown', 'approve')).status).toBe(404)
  })
})

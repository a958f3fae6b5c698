import { GatewayUnderTest } from './gateway-under-test.js'
import { call, type Partner } from './partner.js'

const HEADER = 'service-ignored-parameters'

describe('names of query parameters', () => {
  const gateway = new GatewayUnderTest()
  const { feed } = gateway
  let partner: Partner
  let page: string

  beforeAll(async () => {
    await gateway.start()
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = gateway.partner(await gateway.signingKey(connection))
    page = `/reservations?property_id=${connection}`
  })
  afterAll(() => gateway.stop())
  beforeEach(() => {
    feed.requests.length = 0
    feed.script = (_request, response) => void response.end('{}')
  })

  const refusal = async (path: string, options = {}) => {
    const { status, json } = await partner.get(path, options)
    const { code, details } = json.error!
    return { status, code, detail: details?.[0] }
  }

  it('that are misspelt are refused with the likely name, and never with their value', async () => {
    const answer = await refusal(`${page}&update_since=secret&updated_since=2026-11-20T10:00:00Z`)
    const message = 'Did you mean updated_since?'
    expect(answer).toEqual({
      status: 400,
      code: 'invalid_request',
      detail: { pointer: 'update_since', code: 'unknown_parameter', message },
    })
    expect(feed.requests).toEqual([])
  })

  it('are checked for changes and for calls that the gateway answers itself', async () => {
    const options = { method: 'POST', body: '{"property_id":"con_x"}', headers: { 'Content-Type': 'application/json' } }
    expect(await refusal('/ari?dry_runs=true', options)).toMatchObject({ status: 403 })
    const { property_id } = Object.fromEntries(new URLSearchParams(page.split('?')[1]))
    expect(
      await refusal('/ari?dry_runs=true', { ...options, body: JSON.stringify({ property_id, updates: [] }) }),
    ).toMatchObject({ status: 400, detail: { pointer: 'dry_runs', message: 'Did you mean dry_run?' } })
    const { status, headers } = await partner.get('/properties?limit=5')
    expect({ status, ignored: headers[HEADER] }).toEqual({ status: 200, ignored: 'limit' })
  })

  it('hint at property_id where it is missing', async () => {
    expect(await refusal(page.replace('property_id', 'propertyid'))).toMatchObject({
      status: 400,
      detail: { pointer: 'propertyid', code: 'unknown_parameter', message: 'Did you mean property_id?' },
    })
    expect(await refusal('/reservations')).toMatchObject({ detail: { pointer: 'property_id', code: 'missing' } })
  })

  it('are checked after the assignment', async () => {
    const { status } = await partner.get('/reservations?property_id=con_other&limits=5')
    expect(status).toBe(403)
  })

  it.each([200, 304, 400])('that are unknown are named in a %d of the service', async (status) => {
    feed.script = (_request, response) => response.writeHead(status).end()
    const { headers } = await partner.get(`${page}&page=2&limit=5&sort=a,b&x%0d%0ay=1`)
    expect(headers[HEADER]).toBe('page, sort')
  })

  it('are not checked at the token endpoint', async () => {
    const { headers } = await call(gateway.publicOrigin, '/api/connectivity/v1/oauth/token?limits=1', {
      method: 'POST',
    })
    expect(headers[HEADER]).toBeUndefined()
  })

  it('that are all known add no header', async () => {
    expect((await partner.get(`${page}&limit=5`)).headers[HEADER]).toBeUndefined()
  })
})

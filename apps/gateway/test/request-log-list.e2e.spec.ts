import type { LoggedRequest, RequestPage } from '@connectivity/contracts/request-log'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Answer, Partner } from './partner.js'
import { PortalBrowser, portalToken } from './portal-browser.js'

describe('GET /requests', () => {
  const gateway = new GatewayUnderTest()
  let partner: Partner

  beforeAll(async () => {
    await gateway.start()
    const application = await gateway.approvedApplication()
    const limits = { reads: { per_minute: 100_000, burst: 10_000 } }
    await gateway.ops('PUT', `/applications/${application}/limits`, { limits, reason: 'test' })
    partner = gateway.partner(await gateway.signingKey(await gateway.pilotConnection(application)))
    await gateway.untilServed(() => partner.get('/properties'))
  })
  afterAll(() => gateway.stop())

  const idOf = ({ headers }: Answer) => String(headers['x-correlation-id'])
  const list = async (query: string) => (await partner.get(`/requests${query}`)).json as unknown as RequestPage

  it('lists the newest first, page by page, by every filter, and refuses a cursor with other filters', async () => {
    const since = new Date().toISOString()
    const answers: Answer[] = []
    for (let count = 0; count < 5; count++) answers.push(await partner.get(`/catalog/nothing-${count}`))
    // The lookups below are requests too.
    const sentUntil = new Date(Date.now() + 1).toISOString()
    await eventually(async () => expect(Date.now()).toBeGreaterThan(Date.parse(sentUntil)))
    await Promise.all(answers.map((answer) => gateway.untilServed(() => partner.get(`/requests/${idOf(answer)}`))))
    const query = `?since=${since}&until=${sentUntil}&status=4xx&code=not_found&method=get&auth_method=signature`
    const first = await list(`${query}&limit=3`)
    const ids = answers.map(idOf).reverse()
    expect(first.requests.map((entry) => entry.correlation_id)).toEqual(ids.slice(0, 3))
    const { next_cursor } = first.pagination
    const second = await list(`?cursor=${next_cursor}&limit=3`)
    expect(second.requests.map((entry) => entry.correlation_id)).toEqual(ids.slice(3))
    expect(second.pagination).toEqual({ limit: 3, count: 2, has_more: false, next_cursor: null })
    for (const bad of [`?cursor=${next_cursor}&status=200`, '?cursor=x', `?cursor=${next_cursor}a`]) {
      expect(await partner.get(`/requests${bad}`)).toMatchObject({
        status: 400,
        json: { error: { code: 'invalid_cursor' } },
      })
    }
    const byPath = await list(`?path=/catalog/nothing-2&since=${since}`)
    expect(byPath.requests.map((entry) => entry.correlation_id)).toEqual([idOf(answers[2]!)])
    const until = byPath.requests[0]!.at
    const before = await list(`?since=${since}&until=${until}&status=404`)
    expect(before.requests.map((entry) => entry.correlation_id)).toEqual([idOf(answers[1]!), idOf(answers[0]!)])
  })

  it('shows each application its own reads in the portal, whether they are folded in memory or in the table', async () => {
    const signedIn = async (application: string) => {
      const browser = new PortalBrowser(gateway.publicOrigin)
      expect((await browser.signIn((await portalToken(gateway, application)).token)).status).toBe(201)
      return browser
    }
    const applications = [await gateway.approvedApplication(), await gateway.approvedApplication()]
    const [one, other] = await Promise.all(applications.map(signedIn))
    const entriesOf = async (application: string) => {
      const query = `?application_id=${application}&path=/requests&auth_method=portal`
      const { json } = await gateway.ops('GET', `/requests${query}`)
      return (json.requests as LoggedRequest[]).map(({ correlation_id, repeated }) => [correlation_id, repeated])
    }
    await eventually(() => {
      if (new Date().getSeconds() > 50) throw new Error('the minute is about to end')
    })
    const firsts = [await one!.get('/requests'), await other!.get('/requests')]
    const shown = (repeated: number) =>
      eventually(async () => {
        const entries = await Promise.all(applications.map(entriesOf))
        expect(entries).toEqual(firsts.map((answer) => [[idOf(answer), repeated]]))
      })
    await shown(1)
    await other!.get('/requests')
    await one!.get('/requests')
    await shown(2)
  })

  it.each([
    [-8.64e15, 'invalid_cursor'],
    [-1, 'invalid_cursor'],
    [8.64e15, undefined],
    [8.64e15 + 1, 'invalid_cursor'],
  ])('answers a cursor at the time %d ms with the error code %s', async (at, code) => {
    const cursor = Buffer.from(JSON.stringify([at, '1', {}])).toString('base64url')
    expect((await partner.get(`/requests?cursor=${cursor}`)).json.error?.code).toBe(code)
  })

  it.each(['status=9xx', 'status=20', 'since=yesterday', 'auth_method=basic', 'limit=101', 'statsu=200'])(
    'refuses ?%s and names the parameter',
    async (query) => {
      const answer = await partner.get(`/requests?${query}`)
      expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } })
      expect(answer.json.error!.details![0]!.pointer).toBe(query.split('=')[0])
    },
  )
})

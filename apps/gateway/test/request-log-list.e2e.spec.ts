import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { LoggedRequest, RequestPage } from '@connectivity/contracts/request-log'
import { Database } from '@connectivity/database'
import { LOGGER } from '@connectivity/service-kit/logging'
import { eventually } from '@connectivity/testing/eventually'
import { KeyIdTags } from '../src/live/key-id-tags.service.js'
import { RequestListings } from '../src/request-log/request-listings.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Answer, Partner } from './partner.js'
import { PortalBrowser, portalToken } from './portal-browser.js'

describe('GET /requests', () => {
  const gateway = new GatewayUnderTest()
  let partner: Partner
  let application: string

  beforeAll(async () => {
    await gateway.start()
    application = await gateway.approvedApplication()
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

  it('filters by the longest path that the log keeps, page by page', async () => {
    const path = `/catalog/${'é"'.repeat(200)}`
    const sent = encodeURI(path)
    const stored = sent.slice(0, 1024 - BASE_PATH.length)
    const longer = `${stored.slice(0, -1)}-`
    const answers: Answer[] = []
    for (const each of [sent, longer, sent]) answers.push(await partner.get(each))
    const filter = `path=${encodeURIComponent(stored)}`
    const ids = [idOf(answers[2]!), idOf(answers[0]!)]
    const first = await eventually(async () => {
      const page = await list(`?${filter}&limit=1`)
      expect(page.requests.map((entry) => entry.correlation_id)).toEqual([ids[0]])
      return page
    })
    const { next_cursor: cursor } = first.pagination
    for (const query of [`?cursor=${cursor}`, `?cursor=${cursor}&${filter}`]) {
      expect((await list(query)).requests.map((entry) => entry.correlation_id)).toEqual([ids[1]])
    }
    expect((await partner.get(`/requests?cursor=${cursor}&path=${longer}`)).status).toBe(400)
  })

  it.each(['code', 'method', 'correlation_id'])('lists nothing for a %s that no request has', async (name) => {
    expect((await list(`?${name}=${'x'.repeat(1024)}`)).requests).toEqual([])
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

  describe('with a cursor', () => {
    let cursor: string

    beforeAll(async () => {
      cursor = await eventually(async () => {
        const { pagination } = await list('?status=4xx&limit=1')
        if (pagination.next_cursor === null) throw new Error('the entries are not written yet')
        return pagination.next_cursor
      })
    })

    const invalid = { status: 400, json: { error: { code: 'invalid_cursor' } } }

    it('refuses one of which a character is changed or the end is missing', async () => {
      const changed = [...cursor].map((character, at) => {
        return cursor.slice(0, at) + (character === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      })
      for (const bad of [...changed, cursor.slice(0, cursor.length / 2), cursor.slice(0, 8)]) {
        expect(await partner.get(`/requests?cursor=${bad}`)).toMatchObject(invalid)
      }
    })

    it.each(['path', 'code', 'method', 'correlation_id', 'property_id', 'application_id', 'status', 'since'])(
      'refuses a written one with a bad %s',
      async (name) => {
        const written = Buffer.from(JSON.stringify([Date.now(), '1', { [name]: '\0' }])).toString('base64url')
        expect(await partner.get(`/requests?cursor=${written}`)).toMatchObject(invalid)
        expect(await gateway.ops('GET', `/requests?cursor=${written}`)).toMatchObject(invalid)
      },
    )

    it('refuses that of another application and of operators', async () => {
      const other = gateway.partner(
        await gateway.signingKey(await gateway.pilotConnection(await gateway.approvedApplication())),
      )
      await gateway.untilServed(() => other.get('/properties'))
      expect(await other.get(`/requests?cursor=${cursor}`)).toMatchObject(invalid)
      expect(await gateway.ops('GET', `/requests?cursor=${cursor}`)).toMatchObject(invalid)
      const { json } = await gateway.ops('GET', '/requests?limit=1')
      const operators = (json.pagination as RequestPage['pagination']).next_cursor
      expect((await gateway.ops('GET', `/requests?cursor=${operators}`)).status).toBe(200)
      expect(await partner.get(`/requests?cursor=${operators}`)).toMatchObject(invalid)
    })

    it('accepts that of another gateway', async () => {
      const tags = new KeyIdTags(gateway.app.get(Database), gateway.app.get(LOGGER))
      const { filter } = await new RequestListings(tags).read(new URLSearchParams({ cursor }), application, [])
      expect(filter).toEqual({ status: [400, 499] })
    })
  })

  it.each([
    ...['limit=0', 'status=x', 'since=x', 'until=x', 'auth_method=x', 'method=', 'code=a&code=b', 'cursor=x'],
    ...['cursor=', 'path=%00'],
  ])('refuses a foreign connection before ?%s', async (query) => {
    const foreign = await partner.get(`/requests?property_id=con_foreign&${query}`)
    expect(foreign).toMatchObject({ status: 403, json: { error: { code: 'property_forbidden' } } })
  })

  it.each(['property_id=con_1&property_id=con_2', 'property_id=', 'property_id=%00'])(
    'refuses ?%s before its connection',
    async (query) => {
      expect(await partner.get(`/requests?${query}`)).toMatchObject({
        status: 400,
        json: { error: { code: 'invalid_request', details: [{ pointer: 'property_id' }] } },
      })
    },
  )

  it.each(['limit=0', 'status=x', 'since=x', 'until=x', 'auth_method=x', 'method=', 'code=a&code=b'])(
    'refuses ?%s before a bad cursor',
    async (query) => {
      const refused = {
        status: 400,
        json: { error: { code: 'invalid_request', details: [{ pointer: query.split('=')[0] }] } },
      }
      expect(await partner.get(`/requests?${query}&cursor=x`)).toMatchObject(refused)
      expect(await gateway.ops('GET', `/requests?${query}&cursor=x`)).toMatchObject(refused)
    },
  )

  it.each([
    'status=9xx',
    'status=20',
    'since=yesterday',
    'auth_method=basic',
    'limit=101',
    'statsu=200',
    'since=1969-12-31T23:59:59Z',
    'until=1970-01-01T00:00:00%2B01:00',
  ])('refuses ?%s and names the parameter', async (query) => {
    const answer = await partner.get(`/requests?${query}`)
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } })
    expect(answer.json.error!.details![0]!.pointer).toBe(query.split('=')[0])
  })

  it('names every faulty parameter at once', async () => {
    const { json } = await partner.get('/requests?status=x&since=yesterday&limit=0')
    expect(json.error!.details!.map(({ pointer }) => pointer)).toEqual(['since', 'status', 'limit'])
    const others = await partner.get('/requests?status=&code=a&code=b&since=x&cursor=')
    const pointers = others.json.error!.details!.map(({ pointer }) => pointer)
    expect(pointers).toEqual(['since', 'status', 'code', 'cursor'])
  })
})

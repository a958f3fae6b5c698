import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'

describe("the operators' overview", () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())

  it("shows every connection, a page at a time, with the gateway's own facts", async () => {
    const application_id = await gateway.approvedApplication()
    const ids: string[] = []
    for (const property of ['prop_1', 'prop_2', 'prop_3']) {
      ids.push(await gateway.pilotConnection(application_id, property))
    }
    const first = await gateway.ops('GET', '/overview?limit=2')
    expect(first).toMatchObject({ status: 200, json: { pagination: { limit: 2, count: 2, has_more: true } } })
    expect((first.json.connections as object[])[0]).toEqual({
      property_id: ids[0],
      application_id,
      application_name: 'PMS',
      property_name: null,
      external_property_id: 'PMS-prop_1',
      environment: 'sandbox',
      state: 'pilot',
      rank: 6,
      needs: [],
      feed: {
        lag_ms: null,
        last_change_at: null,
        last_polled_at: null,
        processed_to: null,
        waiting: null,
        at_risk: null,
        unresolved: null,
        last_proven_at: null,
      },
      callback: { state: null, failed: null, last_error: null },
      unacknowledged: null,
      dead_letters: null,
    })
    const { next_cursor } = first.json.pagination as unknown as { next_cursor: string }
    const second = await gateway.ops('GET', `/overview?limit=2&cursor=${next_cursor}`)
    expect(second.json).toMatchObject({
      connections: [{ property_id: ids[2] }],
      pagination: { count: 1, has_more: false, next_cursor: null },
    })
    expect((await gateway.ops('GET', '/overview?limit=0')).status).toBe(400)
  })

  it('goes on after a connection that the filter no longer shows', async () => {
    const application_id = await gateway.approvedApplication()
    const ids = [
      await gateway.pilotConnection(application_id, 'prop_leaves_1'),
      await gateway.pilotConnection(application_id, 'prop_leaves_2'),
      await gateway.pilotConnection(application_id, 'prop_leaves_3'),
    ]
    const list = `/overview?application_id=${application_id}&state=pilot&limit=2`
    const first = await gateway.ops('GET', list)
    const { next_cursor } = first.json.pagination as unknown as { next_cursor: string }
    const moved = await gateway.ops('POST', `/connections/${ids[1]}/transitions`, { to: 'disabled', reason: 'test' })
    expect(moved.status).toBe(200)
    const second = await gateway.ops('GET', `${list}&cursor=${next_cursor}`)
    expect(second.json.connections).toEqual([expect.objectContaining({ property_id: ids[2] })])
    for (const other of [`/overview?cursor=${next_cursor}`, `${list}&failing=true&cursor=${next_cursor}`]) {
      expect((await gateway.ops('GET', other)).json.error!.code).toBe('invalid_cursor')
    }
  })

  it('shows only connections of an application, in a state, or without a poll for some time', async () => {
    const application = await gateway.approvedApplication()
    const silent = await gateway.pilotConnection(application)
    const disabled = await gateway.pilotConnection(application, 'prop_disabled')
    await gateway.ops('POST', `/connections/${disabled}/transitions`, { to: 'disabled', reason: 'test' })
    const shown = async (query: string) => {
      const { json } = await gateway.ops('GET', `/overview?application_id=${application}${query}`)
      return (json.connections as { property_id: string }[]).map(({ property_id }) => property_id)
    }
    expect(await shown('')).toEqual([silent, disabled])
    expect(await shown('&state=disabled')).toEqual([disabled])
    expect(await shown('&silent_for=86400')).toEqual([])
    await eventually(async () => expect(await shown('&silent_for=1')).toEqual([silent]))
    for (const query of ['&state=odd', '&silent_for=30m', '&silent_for=0', '&failing=1'])
      expect((await gateway.ops('GET', `/overview?application_id=${application}${query}`)).status).toBe(400)
    // Event dispatch, which knows the failing callbacks, is not running.
    expect((await gateway.ops('GET', '/overview?failing=true')).status).toBe(503)
  })

  it('shows when a partner last polled', async () => {
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    const partner = gateway.partner(await gateway.signingKey(connection))
    const since = new Date().toISOString()
    await gateway.untilServed(() => partner.get(`/reservations?property_id=${connection}`))
    const polledAt = async () => {
      const answer = await gateway.ops('GET', '/overview?limit=100')
      const rows = answer.json.connections as { property_id: string; feed: { last_polled_at: string | null } }[]
      return rows.find(({ property_id }) => property_id === connection)!.feed.last_polled_at ?? ''
    }
    // Polls are written to the database every 2 s.
    await gateway.until(
      () => gateway.ops('GET', '/overview?limit=100'),
      ({ text }) => /"last_polled_at":"/.test(text),
      10_000,
    )
    expect((await polledAt()) >= since).toBe(true)
  })
})

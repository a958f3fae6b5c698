import { GatewayUnderTest } from './gateway-under-test.js'
import { ScriptedServices } from './scripted-services.js'

describe("the operators' overview of the services' facts", () => {
  const services = new ScriptedServices()
  const gateway = new GatewayUnderTest()
  let ids: string[]
  beforeAll(async () => {
    await gateway.start(await services.start())
    const application = await gateway.approvedApplication()
    ids = [await gateway.pilotConnection(application, 'prop_1'), await gateway.pilotConnection(application, 'prop,2')]
  })
  afterAll(async () => {
    await gateway.stop()
    services.stop()
  })

  const openByKey = (open: Record<string, number>) => (target: string, body: unknown) => {
    const { keys = Object.keys(open) } = body as { keys?: string[] }
    expect(target).toMatch(/^\/ops\/v1\/dead-letters\/.*\/counts$/)
    return { counts: keys.filter((key) => key in open).map((key) => ({ key, open: open[key] })) }
  }
  type Respond = NonNullable<(typeof services.respond)['ari']>
  const facts =
    (known: object[], counts: Respond): Respond =>
    (target, body) =>
      target.startsWith('/ops/v1/connection-facts') ? { facts: known } : counts(target, body)
  const proven = '2026-11-20T10:15:30.123Z'
  const fetched = { processed_to: proven, waiting: 3, at_risk: 1, last_proven_at: proven }
  const answerAll = () => {
    const [first, second] = ids as [string, string]
    services.respond.catalog = openByKey({ prop_1: 2 })
    services.respond.ari = openByKey({ [first]: 1 })
    services.respond['reservation-feed'] = facts(
      [{ connection_id: first, lag_ms: 12, ...fetched }],
      openByKey({ 'prop,2': 4, other: 9 }),
    )
    services.respond['event-dispatch'] = facts(
      [
        { connection_id: first, callback_state: 'active', unacknowledged: 0 },
        { connection_id: second, callback_state: null, unacknowledged: 3 },
      ],
      openByKey({}),
    )
  }
  const overview = async () => (await gateway.ops('GET', '/overview')).json.connections as object[]

  it('shows lag, callback, unacknowledged events, and dead letters of the connection and of its property', async () => {
    answerAll()
    expect(await overview()).toMatchObject([
      {
        ...{ rank: 1, needs: ['at_risk', 'callback_failing', 'dead_letters'] },
        ...{ feed: { lag_ms: 12, ...fetched }, callback: { state: 'active' }, unacknowledged: 0, dead_letters: 3 },
      },
      {
        ...{ rank: 3, needs: ['callback_failing', 'dead_letters'] },
        feed: { lag_ms: null, waiting: null, at_risk: null },
        callback: { state: null },
        unacknowledged: 3,
        dead_letters: 4,
      },
    ])
    const { url } = services.asked['reservation-feed'].find((asked) => asked.url!.includes('?'))!
    expect(url).toBe(`/ops/v1/connection-facts?connection_ids=${ids.join(',')}`)
  })

  it('shows only connections whose callback fails', async () => {
    answerAll()
    const second = ids[1]!
    const answer = services.respond['event-dispatch']!
    const failing = { connection_id: second, callback_state: 'suspended', failed: 2, last_error: 'timeout' }
    services.respond['event-dispatch'] = (target, body) =>
      target === '/ops/v1/connection-facts' ? { facts: [failing] } : answer(target, body)
    const { connections } = (await gateway.ops('GET', '/overview?failing=true')).json
    expect(connections).toMatchObject([{ property_id: second }])
  })

  it('asks for no attention to a closed connection', async () => {
    const application_id = await gateway.approvedApplication()
    const closed = await gateway.pilotConnection(application_id, 'prop_closed')
    await gateway.ops('POST', `/connections/${closed}/transitions`, { to: 'closed', reason: 'test' })
    answerAll()
    services.respond['reservation-feed'] = facts([{ connection_id: closed, unresolved: 2 }], openByKey({}))
    const answer = await gateway.ops('GET', `/overview?application_id=${application_id}`)
    expect(answer.json.connections).toMatchObject([
      { property_id: closed, rank: 6, needs: [], feed: { unresolved: 2 } },
    ])
  })

  it('omits facts that a service does not report within a second, and shows all others', async () => {
    answerAll()
    services.respond['event-dispatch'] = () => new Promise(() => undefined)
    const startedAt = Date.now()
    expect((await overview())[0]).toMatchObject({
      feed: { lag_ms: 12 },
      callback: { state: null },
      unacknowledged: null,
      dead_letters: null,
    })
    expect(Date.now() - startedAt).toBeLessThan(8_000)
  })
})

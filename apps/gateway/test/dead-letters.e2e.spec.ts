import type { DeadLetter } from '@connectivity/contracts/dead-letters'
import { Database } from '@connectivity/database'
import { applyBatch } from '@connectivity/kafka/consuming'
import { GatewayUnderTest, identityOf } from './gateway-under-test.js'
import { call } from './partner.js'
import { type Name, ScriptedServices } from './scripted-services.js'

describe('dead letters at the gateway', () => {
  const gateway = new GatewayUnderTest()
  const services = new ScriptedServices()
  beforeAll(async () => gateway.start(await services.start()))
  afterAll(async () => {
    await gateway.stop()
    services.stop()
  })

  const letter = (service: DeadLetter['service'], time: number): DeadLetter => ({
    id: `dl_${time.toString(16).padStart(12, '0')}7${'0'.repeat(19)}`,
    service,
    topic: 'booking.reservations.v1',
    partition: 0,
    offset: time,
    key: 'prop_1',
    reason: 'is bad',
    state: 'open',
    received_at: '2026-11-20T10:00:00.000Z',
    attempts: 1,
  })
  /** Makes a service answer with its letters as services do: newest first, by cursor and limit. */
  const hold = (name: Name, ...times: number[]) => {
    const letters = times.toSorted((a, b) => b - a).map((time) => letter(name, time))
    services.respond[name] = (target) => {
      const query = new URL(target, 'http://x').searchParams
      const after = query.has('cursor') ? Buffer.from(query.get('cursor')!, 'base64url').subarray(8).toString() : 'z'
      const limit = Number(query.get('limit') ?? 50)
      const rest = letters.filter(({ id }) => id < after)
      return { dead_letters: rest.slice(0, limit), pagination: { has_more: rest.length > limit } }
    }
  }
  const holdAll = () => {
    hold('catalog', 1, 5)
    hold('reservation-feed', 2, 3, 4, 8, 9)
    hold('ari')
    hold('event-dispatch', 7)
  }
  /** A dead letter of the gateway itself, received now. */
  const ownLetter = async (value: string) => {
    const fence = { group: 'gateway', topic: 'connectivity.catalogs.v1', partition: 0 }
    const message = { offset: BigInt(Date.now()), key: Buffer.from('con_1'), value: Buffer.from(value) }
    const database = gateway.app.get(Database, { strict: false })
    await applyBatch(database, fence, [message], async (batch) => batch.deadLetter(message, 'is bad'))
    const { json } = await gateway.ops('GET', '/dead-letters?service=gateway')
    return (json.dead_letters as DeadLetter[])[0]!
  }

  it('of all services form one list, newest first, under one cursor', async () => {
    holdAll()
    const own = await ownLetter('nonsense')
    const seen: string[] = []
    let cursor: string | null = ''
    do {
      const { json, status } = await gateway.ops('GET', `/dead-letters?limit=2${cursor && `&cursor=${cursor}`}`)
      expect(status).toBe(200)
      const { dead_letters, pagination } = json as unknown as {
        dead_letters: DeadLetter[]
        pagination: { limit: number; count: number; has_more: boolean; next_cursor: string | null }
      }
      expect(pagination).toMatchObject({
        limit: 2,
        count: dead_letters.length,
        has_more: pagination.next_cursor !== null,
      })
      seen.push(...dead_letters.map((each) => (each.id === own.id ? 'own' : `${each.service} ${each.offset}`)))
      cursor = pagination.next_cursor
    } while (cursor !== null)
    const feed = (time: number) => `reservation-feed ${time}`
    expect(seen).toEqual([
      ...['own', feed(9), feed(8), 'event-dispatch 7', 'catalog 5'],
      ...[feed(4), feed(3), feed(2), 'catalog 1'],
    ])
  })

  it('are requested on behalf of the operator, with the filters', async () => {
    holdAll()
    const filters = 'topic=booking.properties.v1&state=discarded'
    await gateway.ops('GET', `/dead-letters?service=catalog&${filters}`)
    const asked = services.asked.catalog.at(-1)!
    const { url } = asked
    expect(url).toBe(`/ops/v1/dead-letters/catalog?service=catalog&${filters}`)
    expect(identityOf(asked, 'catalog')).toMatchObject({
      operator: 'olga',
      method: 'GET',
      path: '/ops/v1/dead-letters/catalog',
    })
  })

  it('of a service that does not answer are reported missing, while those of the others are listed', async () => {
    holdAll()
    services.respond.ari = () => null
    expect(await gateway.ops('GET', '/dead-letters')).toMatchObject({
      status: 503,
      json: { error: { code: 'service_unavailable', message: expect.stringContaining('ari') } },
    })
    const { json } = await gateway.ops('GET', '/dead-letters?service=catalog')
    expect((json.dead_letters as DeadLetter[]).map(({ offset }) => offset)).toEqual([5, 1])
  })

  it('are refused for invalid filters, cursors and ids', async () => {
    for (const query of ['service=nobody', 'state=lost', 'state=', 'limit=0', 'topic=a&topic=b'])
      expect(await gateway.ops('GET', `/dead-letters?${query}`)).toMatchObject({
        status: 400,
        json: { error: { code: 'invalid_request' } },
      })
    holdAll()
    const { pagination } = (await gateway.ops('GET', '/dead-letters?limit=1&service=catalog')).json
    const { next_cursor } = pagination as { next_cursor: string }
    for (const query of ['cursor=x', `cursor=${next_cursor}`, `cursor=${next_cursor}&service=ari`])
      expect((await gateway.ops('GET', `/dead-letters?${query}`)).json.error!.code).toBe('invalid_cursor')
    for (const path of ['nobody/dl_1', 'gateway/dl_1', 'gateway/%00', `gateway/dl_${'0'.repeat(32)}`])
      expect(await gateway.ops('GET', `/dead-letters/${path}`)).toMatchObject({
        status: 404,
        json: { error: { code: 'not_found' } },
      })
    expect((await gateway.ops('POST', '/dead-letters/nobody/dl_1/replay', { reason: 'r' })).status).toBe(404)
  })

  it('are shown, replayed and discarded one by one at the service that the path names', async () => {
    services.respond.ari = (target) => ({ target })
    const base = '/dead-letters/ari/dl_1'
    const calls = [
      ['GET', base],
      ['POST', `${base}/replay`],
      ['POST', `${base}/discard`],
    ] as const
    for (const [method, path] of calls) {
      const { json } = await gateway.ops(method, path, method === 'GET' ? undefined : { reason: 'r' })
      expect(json.target).toBe(`/ops/v1${path}`)
    }
  })

  it('are shown to readers without their bytes, which need the role for changes and leave an audit entry', async () => {
    const own = await ownLetter('{"half')
    const authorization = `Bearer ${await gateway.staff.token(['connectivity:read'])}`
    const asReader = (path: string) =>
      call(gateway.privateOrigin, `/ops/v1/dead-letters${path}`, { headers: { authorization } })
    expect((await asReader('?service=gateway')).text).toContain(own.id)
    const shown = await asReader(`/gateway/${own.id}`)
    expect(shown).toMatchObject({ status: 200, json: own })
    expect(shown.json).not.toHaveProperty('value_base64')
    const seen = async () => (await gateway.ops('GET', `/audit?subject=${own.id}`)).json.entries
    expect(await seen()).toEqual([])
    await gateway.ops('GET', `/dead-letters/gateway/${own.id}`)
    expect(await seen()).toMatchObject([{ actor: 'olga', action: 'dead_letter.read', before: null, after: null }])
  })

  it('of the gateway itself are shown, replayed and discarded here, without internal headers', async () => {
    const own = await ownLetter('{"half')
    const one = await gateway.ops('GET', `/dead-letters/gateway/${own.id}`)
    expect(one.json).toEqual({
      schema_version: '1.0.0',
      ...own,
      value_base64: Buffer.from('{"half').toString('base64'),
    })
    // Nothing is consumed in this test, so the replay finds no handler.
    const replayed = await gateway.ops('POST', `/dead-letters/gateway/${own.id}/replay`, { reason: 'r' })
    expect(replayed).toMatchObject({ status: 202, json: { id: own.id, state: 'open', attempts: 2 } })
    const discarded = await gateway.ops('POST', `/dead-letters/gateway/${own.id}/discard`, { reason: 'r' })
    expect(discarded).toMatchObject({ status: 200, json: { state: 'discarded' } })
    const again = await gateway.ops('POST', `/dead-letters/gateway/${own.id}/discard`, { reason: 'r' })
    expect(again).toMatchObject({ status: 409, json: { error: { code: 'invalid_transition' } } })
    expect((await gateway.ops('POST', `/dead-letters/gateway/${own.id}/discard`, {})).status).toBe(400)
    for (const { headers } of [one, replayed, discarded, again])
      expect(Object.keys(headers).filter((name) => name.startsWith('x-internal'))).toEqual([])
  })
})

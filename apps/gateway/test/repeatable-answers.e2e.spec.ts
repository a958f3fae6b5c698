import { CURRENT, EVERYTHING_CHANGED, NOTHING_NEW_HEADER, UNTIL_CHANGE } from '@connectivity/contracts/waiting'
import { EVIDENCE_HEADER } from '@connectivity/contracts/evidence'
import { eventually } from '@connectivity/testing/eventually'
import type { ServerResponse } from 'node:http'
import { Observations } from '../src/admission/observations.service.js'
import { ChangeStreams } from '../src/forwarding/waiting/change-streams.client.js'
import { WaitingPartner } from './waiting-partner.js'

const FEED = 'reservation-feed'
const REPEATABLE = { 'service-checkpoint': '2026-11-20T10:00:00.000Z', [NOTHING_NEW_HEADER]: UNTIL_CHANGE }

describe('an answer without news', () => {
  const waiting = new WaitingPartner()
  const { gateway, feed } = waiting
  let streams: ChangeStreams
  beforeAll(async () => {
    await waiting.start()
    // Refills too slowly to hide a call that was counted.
    const limits = { feed: { per_minute: 1, burst: 1_000 } }
    await gateway.ops('PUT', `/applications/${waiting.application}/limits`, { limits, reason: 'test' })
    streams = gateway.app.get(ChangeStreams, { strict: false })
  })
  afterAll(() => gateway.stop())

  /** Answers as a feed would: empty and repeatable until there is news. */
  const give = (response: ServerResponse): void => {
    if (waiting.news === null) response.writeHead(200, REPEATABLE).end('{"reservations":[]}')
    else response.end(waiting.news)
  }
  const becomeCurrent = () =>
    eventually(() => {
      feed.changed(CURRENT)
      expect(streams.isCurrent(FEED)).toBe(true)
    })
  beforeEach(async () => {
    await waiting.connect()
    feed.script = (_request, response) => give(response)
    await becomeCurrent()
  })

  const asked = () => feed.requests.filter(({ url }) => url!.includes(waiting.connection)).length
  const poll = (query = '&updated_since=2026-11-20T10:00:00.001Z', headers = {}) =>
    waiting.partner.get(waiting.page(query), { headers })

  /** Polls until the answer is kept, which it is when it is asked for again. */
  const pollTwice = async () => {
    await poll()
    return poll()
  }

  it('is repeated without asking the feed, as an answer of its own', async () => {
    const first = await pollTwice()
    const second = await poll()
    expect(asked()).toBe(2)
    expect(second).toMatchObject({ status: 200, json: { reservations: [] } })
    for (const name of ['service-checkpoint', 'content-length', 'cache-control'])
      expect([name, second.headers[name]]).toEqual([name, first.headers[name]])
    expect(second.headers['x-correlation-id']).not.toBe(first.headers['x-correlation-id'])
    const left = ({ headers }: typeof first) =>
      Number(headers['ratelimit-remaining'] ?? headers['x-ratelimit-remaining'])
    expect(left(second)).toBeLessThan(left(first))
    for (const name of Object.keys(second.headers)) expect(name).not.toMatch(/^x-internal/)
  })

  it('is given up when the connection changes, not when another one does', async () => {
    await pollTwice()
    feed.changed('con_other')
    feed.changed(CURRENT)
    await poll()
    expect(asked()).toBe(2)
    waiting.publish()
    await eventually(async () => expect((await poll()).json).toEqual({ page: 1 }))
  })

  it('is not kept when the connection changes while the feed is asked', async () => {
    await poll()
    let answer = (): void => undefined
    feed.script = (_request, response) => (answer = () => give(response))
    const second = poll()
    await eventually(() => expect(asked()).toBe(2))
    await waiting.untilHeard(waiting.connection)
    answer()
    expect((await second).json).toEqual({ reservations: [] })
    waiting.news = '{"page":1}'
    feed.script = (_request, response) => give(response)
    expect((await poll()).json).toEqual({ page: 1 })
  })

  it.each([
    ['an interrupted stream', () => feed.breakStreams()],
    ['a stream that may have missed changes', () => feed.changed(EVERYTHING_CHANGED)],
    ['a feed that is behind', () => feed.changed('')],
  ])('is not repeated after %s, until the feed is current again', async (_what, happen) => {
    await pollTwice()
    happen()
    await eventually(() => expect(streams.isCurrent(FEED)).toBe(false))
    await pollTwice()
    expect(asked()).toBe(4)
    await becomeCurrent()
    await pollTwice()
    const before = asked()
    await poll()
    expect(asked()).toBe(before)
  })

  it('is not repeated once the feed has been silent for 2.5 s', async () => {
    await pollTwice()
    await eventually(() => expect(streams.isCurrent(FEED)).toBe(false), { deadline: 5_000 })
    await poll()
    expect(asked()).toBe(3)
  })

  it.each([
    ['another bound', '&updated_since=2026-11-20T10:00:00.002Z', {}],
    ['another tag', undefined, { 'if-none-match': 'W/"1"' }],
  ])('does not answer a request with %s', async (_what, query, headers) => {
    await pollTwice()
    await poll(query, headers)
    expect(asked()).toBe(3)
  })

  it('is not repeated when the feed does not allow it', async () => {
    feed.script = (_request, response) => response.writeHead(200, { [NOTHING_NEW_HEADER]: '1' }).end('{}')
    await pollTwice()
    await poll()
    expect(asked()).toBe(3)
  })

  it('is not repeated for a closed connection', async () => {
    await pollTwice()
    const path = `/connections/${waiting.connection}/transitions`
    expect((await gateway.ops('POST', path, { to: 'closed', reason: 'the contract has ended' })).status).toBe(200)
    await eventually(async () => expect((await poll()).status).toBe(403))
  })

  it('is evidence for the pilot each time', async () => {
    const shown: string[] = []
    gateway.app.get(Observations, { strict: false }).on('shown', (_connectionId, named) => shown.push(named))
    feed.script = (_request, response) =>
      response.writeHead(200, { ...REPEATABLE, [EVIDENCE_HEADER]: 'full-pull-end' }).end('{"reservations":[]}')
    await pollTwice()
    await poll()
    expect(asked()).toBe(2)
    expect(shown).toEqual(['full-pull-end', 'full-pull-end', 'full-pull-end'])
  })
})

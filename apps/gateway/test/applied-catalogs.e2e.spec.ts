import { setTimeout as delay } from 'node:timers/promises'
import { APPLIED_CATALOG_PATH, CATALOG_VERSION_HEADER } from '@connectivity/contracts/applied-catalog'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { AUDIT_ENTRY_BYTES_HEADER } from '@connectivity/contracts/identity'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest, ScriptedFeed } from './gateway-under-test.js'
import { type Partner, type SigningKey, signatureHeaders } from './partner.js'

/** The gateway before one server that stands in for the catalog and for ARI. */
describe('an answer that shows a catalog', () => {
  const gateway = new GatewayUnderTest()
  const services = new ScriptedFeed()
  let partner: Partner
  let key: SigningKey
  let connectionId: string
  /** Versions that ARI answers, one after the other; the last one again and again, 0 as 503. */
  let applied = [1]
  /** Version that the catalog shows; every test takes a later one. */
  let shown = 1
  let questions: string[] = []

  const path = () => `/catalog/rooms?property_id=${connectionId}`
  const took = async <T>(work: () => Promise<T>) => {
    const from = performance.now()
    return { answer: await work(), ms: performance.now() - from }
  }

  beforeAll(async () => {
    const url = await services.start()
    await gateway.start({ CATALOG_URL: url, ARI_URL: url })
    connectionId = await gateway.pilotConnection(await gateway.approvedApplication())
    key = await gateway.signingKey(connectionId)
    partner = gateway.partner(key)
    services.script = (request, response) => {
      if (request.url!.includes(APPLIED_CATALOG_PATH)) {
        questions.push(request.url!)
        const version = applied.length > 1 ? applied.shift()! : applied[0]!
        return void response.writeHead(version === 0 ? 503 : 200).end(JSON.stringify({ catalog_version: version }))
      }
      const entry = request.method === 'PUT' ? '{}' : ''
      const head = { [CATALOG_VERSION_HEADER]: shown, ...(entry && { [AUDIT_ENTRY_BYTES_HEADER]: entry.length }) }
      response.writeHead(200, { 'content-type': 'application/json', ...head }).end(`${entry}{"version":${shown}}`)
    }
    await gateway.untilServed(() => partner.get(path()))
  })
  afterAll(async () => {
    await gateway.stop()
    services.stop()
  })
  beforeEach(() => {
    questions = []
  })

  it('waits until ARI applies that catalog, once for each version', async () => {
    shown = 5
    applied = [3, 4, 4, 5]
    const first = await partner.get(path())
    expect([first.status, first.text]).toEqual([200, '{"version":5}'])
    expect(first.headers[CATALOG_VERSION_HEADER]).toBeUndefined()
    expect(questions).toEqual(Array(4).fill(`/internal/applied-catalog?property_id=${connectionId}`))
    await partner.get(path())
    shown = 4
    await partner.get(path())
    expect(questions).toHaveLength(4)
  })

  it('is given at once when ARI does not answer, and the next one does not ask', async () => {
    shown = 6
    applied = [0]
    const { answer, ms } = await took(() => partner.get(path()))
    expect([answer.status, answer.text]).toEqual([200, '{"version":6}'])
    expect(ms).toBeLessThan(2_000)
    await partner.get(path())
    expect(questions).toHaveLength(1)
  })

  it('is given after 3 s when ARI is behind, and those after it at once', async () => {
    shown = 7
    applied = [6]
    const { answer, ms } = await took(() => partner.get(path()))
    expect([answer.status, answer.text]).toEqual([200, '{"version":7}'])
    expect(ms).toBeGreaterThan(2_500)
    const asked = questions.length
    expect(asked).toBeLessThan(50)
    await partner.get(path())
    expect(questions).toHaveLength(asked)
  })

  it('is the oldest by which ARI may judge the calls after it', async () => {
    await partner.get(`/ari?property_id=${connectionId}&date_from=2026-12-01&date_to=2026-12-01`)
    expect(services.last.headers[CATALOG_VERSION_HEADER]).toBe(String(shown))
  })

  it("waits also after an operator's change", async () => {
    shown = 8
    applied = [7, 8]
    const { status, json } = await gateway.ops('PUT', `/connections/${connectionId}/mappings`, { reason: 'ticket 1' })
    expect([status, json]).toEqual([200, { version: 8 }])
    expect(questions).toEqual(Array(2).fill(`/ops/v1/applied-catalog?property_id=${connectionId}`))
  })

  it('asks no more when its client has left', async () => {
    shown = 9
    applied = [8]
    const target = `${BASE_PATH}${path()}`
    const sent = fetch(gateway.publicOrigin + target, {
      headers: signatureHeaders(key, target),
      signal: AbortSignal.timeout(200),
    })
    await expect(sent).rejects.toThrow()
    const count = async () => {
      const before = questions.length
      await delay(250)
      return questions.length - before
    }
    await eventually(async () => expect(await count()).toBe(0), { deadline: 1_500 })
    applied = [9]
    expect((await partner.get(path())).text).toBe('{"version":9}')
  })
})

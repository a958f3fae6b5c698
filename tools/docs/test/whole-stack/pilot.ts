import type { FeedPage } from '@connectivity/contracts/reservation'
import { eventually } from '@connectivity/testing/eventually'
import type { WholeStack } from '@connectivity/testing/whole-stack'
import { PartnerCalls } from './partner-calls.js'
import type { System } from './system.js'

interface Checklist {
  checklist: { code: string; state: 'passed' | 'open'; evidence_correlation_id: string | null }[]
}
interface Listed {
  rooms?: { service_id: string }[]
  rate_plans?: { service_id: string }[]
}

const CODES = [
  'credentials_issued',
  'mappings_verified',
  'initial_pull_completed',
  'new_reservation_seen',
  'modification_seen',
  'cancellation_seen',
  'foreign_property_denied',
  'production_requested',
]
const EPOCH = '1970-01-01T00:00:00.000Z'

let stack: WholeStack
let partner: PartnerCalls
let foreign: string
/** A connection of an application of its own. */
let id: string

async function freshConnection() {
  const { operators, connection } = stack
  const application_id = await operators.createApplication('New')
  await operators.liftLimits(application_id)
  const { source_property_id } = connection
  const property_id = await operators.connect({ application_id, source_property_id, external_property_id: 'NEW-1' })
  return { property_id, signing: await operators.issueSigning(property_id) }
}

const get = (path: string, headers = {}) => partner.call('GET', path, { headers })
const post = (path: string, body: object) =>
  partner.call('POST', path, { body, headers: { 'idempotency-key': crypto.randomUUID() } })

/** The feed's first row, once there is one. */
async function pullFirst(): Promise<FeedPage> {
  const { status, body } = await get(`/reservations?property_id=${id}&updated_since=${EPOCH}&limit=1`)
  expect(status).toBe(200)
  return body as FeedPage
}

/** Pulls every page from there on; returns the last checkpoint. */
async function pullAll(since: string): Promise<string> {
  let query = `updated_since=${since}&limit=100`
  for (;;) {
    const { headers, body } = await get(`/reservations?property_id=${id}&${query}`)
    const { pagination } = body as FeedPage
    if (!pagination.has_more) return headers.get('service-checkpoint')!
    query = `cursor=${pagination.next_cursor}&limit=100`
  }
}

const passed = async () =>
  ((await get(`/production/request?property_id=${id}`)).body as Checklist).checklist
    .filter(({ state }) => state === 'passed')
    .map(({ code }) => code)

/** The first items and no others have passed; evidence is noted a moment after the answer. */
const expectPassed = (count: number) => eventually(async () => expect(await passed()).toEqual(CODES.slice(0, count)))

/** Takes a connection of its own through the pilot. */
export function describePilot(system: () => System): void {
  describe('a fresh connection on its way through the pilot', () => {
    beforeAll(async () => {
      stack = system().stack
      foreign = stack.connection.property_id
      const connection = await freshConnection()
      id = connection.property_id
      partner = new PartnerCalls(stack.demo.base_url, connection)
      await eventually(async () => expect((await pullFirst()).reservations.length).toBeGreaterThan(0))
    })

    it('is graded item by item on its actual calls, through every service', async () => {
      await expectPassed(0)
      await get('/properties')
      await expectPassed(1)

      await get(`/properties/${id}/mappings`)
      expect(
        (await post('/production/request', { property_id: id, contact: { name: 'Too early', email: 'p@example.com' } }))
          .status,
      ).toBe(422)
      const { rooms = [] } = (await get(`/catalog/rooms?property_id=${id}`)).body as Listed
      const { rate_plans = [] } = (await get(`/catalog/rate-plans?property_id=${id}`)).body as Listed
      const named = (entity_type: string, list: { service_id: string }[]) =>
        list.map(({ service_id }) => ({ entity_type, service_id, external_id: `X-${service_id}` }))
      const mappings = [...named('room', rooms), ...named('rate_plan', rate_plans)]
      expect((await post(`/properties/${id}/mappings`, { mappings })).status).toBe(200)
      await eventually(async () => {
        await get(`/properties/${id}/mappings`)
        expect(await passed()).toContain('mappings_verified')
      })

      // The mappings change the reservations' bytes: the page is stable once all are delivered again.
      await eventually(async () => {
        const tagged = await get(`/reservations?property_id=${id}&limit=1`)
        const tag = { 'if-none-match': tagged.headers.get('etag')! }
        expect((await get(`/reservations?property_id=${id}&limit=1`, tag)).status).toBe(304)
      })
      expect((await get(`/reservations?property_id=${id}&limit=0`)).status).toBe(400)
      await expectPassed(2)
      let since = await pullAll(EPOCH)
      await expectPassed(3)

      for (const [index, change] of [[], ['--modify'], ['--cancel']].entries()) {
        await stack.book(...(change as ('--modify' | '--cancel')[]))
        // A pull may come before the booking; each pull repeats the row at its lower bound.
        await eventually(async () => {
          since = await pullAll(since)
          expect(await passed()).toContain(CODES[3 + index])
        })
      }

      expect((await get(`/reservations?property_id=${foreign}`)).status).toBe(403)
      await expectPassed(7)
      const asked = await post('/production/request', {
        property_id: id,
        contact: { name: 'P', email: 'p@example.com' },
      })
      expect([asked.status, (asked.body as Checklist).checklist.map(({ state }) => state)]).toEqual([
        202,
        CODES.map(() => 'passed'),
      ])
      expect((asked.body as Checklist).checklist.every(({ evidence_correlation_id }) => evidence_correlation_id)).toBe(
        true,
      )
    })
  })
}

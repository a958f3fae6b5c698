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
/** Unlimited, because the test polls more than partners do. */
const UNLIMITED = { per_minute: 1_000_000, burst: 1_000_000 }
const EPOCH = '1970-01-01T00:00:00.000Z'

let stack: WholeStack
let partner: PartnerCalls
let foreign: string
/** A connection of an application of its own. */
let id: string

async function operate<T>(method: string, path: string, body: object): Promise<T> {
  const { base_url, token } = stack.demo.ops
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(base_url + path, { method, headers, body: JSON.stringify({ ...body, reason: 'pilot' }) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

async function freshConnection() {
  const contact = { name: 'Pia', email: 'pia@example.com' }
  const { application_id } = await operate<{ application_id: string }>('POST', '/applications', {
    name: 'New',
    contact,
  })
  await operate('POST', `/applications/${application_id}/approve`, {})
  const limits = Object.fromEntries(['feed', 'reads', 'mutations'].map((name) => [name, UNLIMITED]))
  await operate('PUT', `/applications/${application_id}/limits`, { limits })
  const { source_property_id } = stack.connection
  const wanted = { application_id, source_property_id, external_property_id: 'NEW-1', environment: 'sandbox' }
  const { property_id } = await operate<{ property_id: string }>('POST', '/connections', wanted)
  await operate('POST', `/connections/${property_id}/transitions`, { to: 'pilot' })
  const path = `/connections/${property_id}/credentials`
  const signing = await operate<{ key_id: string; signing_secret: string }>('POST', path, { type: 'signing' })
  return { property_id, signing }
}

const get = (path: string, headers = {}) => partner.call('GET', path, { headers })
const post = (path: string, body: object) =>
  partner.call('POST', path, { body, headers: { 'idempotency-key': crypto.randomUUID() } })

/** The feed's first row, once there is one. */
async function pullFirst(): Promise<FeedPage> {
  const { status, json } = await get(`/reservations?property_id=${id}&updated_since=${EPOCH}&limit=1`)
  expect(status).toBe(200)
  return json as FeedPage
}

/** Pulls every page from there on; returns the last checkpoint. */
async function pullAll(since: string): Promise<string> {
  let query = `updated_since=${since}&limit=100`
  for (;;) {
    const { headers, json } = await get(`/reservations?property_id=${id}&${query}`)
    const { pagination } = json as FeedPage
    if (!pagination.has_more) return headers.get('service-checkpoint')!
    query = `cursor=${pagination.next_cursor}&limit=100`
  }
}

const passed = async () =>
  ((await get(`/production/request?property_id=${id}`)).json as Checklist).checklist
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
      partner = new PartnerCalls(stack.demo.base_url, { ...stack.connection, ...connection })
      await eventually(async () => expect((await pullFirst()).reservations.length).toBeGreaterThan(0))
    }, 60_000)

    it('is graded item by item on its actual calls, through every service', async () => {
      await expectPassed(0)
      await get('/properties')
      await expectPassed(1)

      await get(`/properties/${id}/mappings`)
      expect(
        (await post('/production/request', { property_id: id, contact: { name: 'Too early', email: 'p@example.com' } }))
          .status,
      ).toBe(422)
      const { rooms = [] } = (await get(`/catalog/rooms?property_id=${id}`)).json as Listed
      const { rate_plans = [] } = (await get(`/catalog/rate-plans?property_id=${id}`)).json as Listed
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
      expect([asked.status, (asked.json as Checklist).checklist.map(({ state }) => state)]).toEqual([
        202,
        CODES.map(() => 'passed'),
      ])
      expect((asked.json as Checklist).checklist.every(({ evidence_correlation_id }) => evidence_correlation_id)).toBe(
        true,
      )
    }, 120_000)
  })
}

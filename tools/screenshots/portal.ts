// The partner portal, page by page, as a developer sees it some way into the pilot.
import type { Page } from '@connectivity/toolkit/browser'
import { CallbackReceiver } from '@connectivity/toolkit/callback-receiver'
import type { HandOver } from '@connectivity/toolkit/hand-over'
import { until } from '@connectivity/toolkit/until'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { get, pullFeed, send } from '@connectivity/toolkit/partner'

/** A picture to take. */
export interface Shot {
  name: string
  /** Brings the page to the pictured state. @param demo the stack, which is filled */
  show: (page: Page, demo: HandOver) => Promise<void>
}

const DAY = 24 * 60 * 60 * 1_000
/** Time within which a filled stack shows what was done, ms. */
const SHOWN_WITHIN = 30_000

/** Starts a receiver that answers every fourth event with an error; returns its address. */
async function receiver(): Promise<string> {
  let events = 0
  const answering = new CallbackReceiver(() => ({ status: events++ % 4 === 0 ? 503 : 204 }))
  return (await answering.start()).urlOf('/hooks/reservations')
}

interface Catalog {
  rooms: { service_id: string }[]
  rate_plans: { service_id: string }[]
}

/** A connection in the middle of its pilot: most rooms mapped, availability written, a callback with some failures. */
class Filled {
  readonly #demo: HandOver
  #writes = 0

  constructor(demo: HandOver) {
    this.#demo = demo
  }

  get #connection() {
    return this.#demo.applications[0]!.connections[0]!
  }

  #send<Body>(method: string, path: string, body: object): Promise<{ status: number; body: Body }> {
    const key = `screenshots-${(this.#writes += 1)}`
    return send<Body>(this.#demo.base_url, method, path, this.#connection.signing, { body, key })
  }

  async #list<Name extends keyof Catalog>(path: string): Promise<Catalog[Name]> {
    const { property_id, signing } = this.#connection
    const { body } = await get<Catalog>(this.#demo.base_url, path, { property_id }, signing)
    return body[path.endsWith('rooms') ? 'rooms' : 'rate_plans'] as Catalog[Name]
  }

  async fill(): Promise<void> {
    const { property_id: id, signing } = this.#connection
    const rooms = await this.#list<'rooms'>('/catalog/rooms')
    const plans = await this.#list<'rate_plans'>('/catalog/rate-plans')
    const mapped = [...rooms.slice(0, 4), ...plans.slice(0, 3)].map(({ service_id }, index) => ({
      entity_type: index < 4 ? 'room' : 'rate_plan',
      ...{ service_id, external_id: service_id.split('_').at(-1)!.toUpperCase() },
    }))
    await this.#send('POST', `/properties/${id}/mappings`, { mappings: mapped })
    await this.#writeAvailability(rooms, plans[0]!.service_id)
    await this.#send('PUT', `/properties/${id}/callback`, { url: await receiver() })
    await get(this.#demo.base_url, '/properties', undefined, signing)
    const { reservations } = await pullFeed(this.#demo.base_url, this.#connection)
    await this.#redeliver([...reservations!.keys()].slice(0, 12))
    await this.#beRefused()
    await pullFeed(this.#demo.base_url, this.#connection)
  }

  /** Makes two requests that are refused: for a signature over the query, and for a limit that is too great. */
  async #beRefused(): Promise<void> {
    const { property_id, signing } = this.#connection
    const path = `/reservations?property_id=${property_id}&limit=50`
    await send(this.#demo.base_url, 'GET', path, signing, { signedPath: path })
    await get(this.#demo.base_url, '/reservations', { property_id, limit: '500' }, signing)
  }

  async #writeAvailability(rooms: Catalog['rooms'], rate_plan_id: string): Promise<void> {
    const date = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)
    const ofRooms = rooms.slice(0, 4).map(({ service_id: room_id }, index) => ({
      ...{ room_id, date_from: date(1), date_to: date(40), availability: 8 - 2 * index },
    }))
    const prices = { room_id: rooms[1]!.service_id, rate_plan_id, date_from: date(1), date_to: date(40) }
    const closed = { ...prices, date_from: date(3), date_to: date(4), restrictions: { stop_sell: true } }
    const updates = [...ofRooms, { ...prices, rates: [{ amount: '110.00' }] }, closed]
    await this.#send('POST', '/ari', { property_id: this.#connection.property_id, currency: 'EUR', updates })
  }

  async #redeliver(reservation_ids: string[]): Promise<void> {
    const api = new OperatorsApi(this.#demo.ops.base_url, this.#demo.ops.token, 'screenshots')
    const { property_id } = this.#connection
    await api.call('POST', `/connections/${property_id}/redeliver`, { reservation_ids })
    const isDelivered = async () => {
      const { last_success_at } = await api.call<{ last_success_at: string | null }>('GET', `/callbacks/${property_id}`)
      return last_success_at !== null
    }
    await until(isDelivered, { within: SHOWN_WITHIN, every: 200, complaint: () => 'no event was delivered' })
  }
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).waitFor()
const settled = (page: Page) => page.locator('[aria-busy]').first().waitFor({ state: 'detached' })

const open = (button: string | RegExp) => (page: Page) => page.getByRole('button', { name: button }).first().click()

const nextMonth = (): string => new Date(Date.now() + 30 * DAY).toISOString().slice(0, 'YYYY-MM'.length)

/** A page of the connection by its path. @param then further steps before the picture */
const at = (name: string, path: string, then: (page: Page) => Promise<unknown> = settled): Shot => ({
  name,
  show: async (page, { base_url, applications }) => {
    await page.goto(base_url + path.replace('{id}', applications[0]!.connections[0]!.property_id))
    await heading(page)
    await settled(page)
    await then(page)
  },
})

/** The page behind a new link, and the one that it leads to. */
const signInShots: readonly Shot[] = [
  {
    name: 'portal-sign-in',
    show: async (page, { ops, applications }) => {
      const links = `/applications/${applications[0]!.application_id}/portal-links`
      const person = { email: 'ada@pms.example', role: 'developer' }
      const api = new OperatorsApi(ops.base_url, ops.token, 'screenshots')
      await page.goto((await api.call<{ url: string }>('POST', links, person)).url)
      await heading(page)
    },
  },
  {
    name: 'portal-connections',
    show: async (page) => {
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Connections' }).waitFor()
      await page.getByRole('table').waitFor()
    },
  },
]

/** Brings the stack to the pictured state. */
export const fill = (demo: HandOver): Promise<void> => new Filled(demo).fill()

const CONNECTION = '/portal/connections/{id}'

/** Pictures in the order in which they are taken: the first ones sign in. */
export const portalShots: readonly Shot[] = [
  ...signInShots,
  at('portal-connection', CONNECTION),
  at('portal-mappings', `${CONNECTION}/mappings`),
  at('portal-availability', `${CONNECTION}/availability?month=${nextMonth()}`),
  at('portal-callback', `${CONNECTION}/callback`),
  at('portal-rotate-secret', `${CONNECTION}/callback`, async (page) => {
    await open('Rotate secret')(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor()
  }),
  at('portal-events', `${CONNECTION}/events`),
  at('portal-event', `${CONNECTION}/events`, async (page) => {
    await open(/^modified/)(page)
    await settled(page)
  }),
  at('portal-reservation', `${CONNECTION}/events`, async (page) => {
    await page.getByRole('link', { name: /^RSV-/ }).first().click()
    await page.getByRole('heading', { name: /^Reservation/ }).waitFor()
    await settled(page)
  }),
  at('portal-pilot', `${CONNECTION}/pilot`),
  at('portal-requests', '/portal/requests'),
  at('portal-request', '/portal/requests?status=401', async (page) => {
    await page.getByRole('button', { expanded: false }).first().click()
  }),
  at('portal-not-found', '/portal/nowhere'),
]

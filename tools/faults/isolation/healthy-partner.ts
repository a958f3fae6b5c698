// A well-behaved partner during attacks: polls, lists events, writes a price, receives callbacks.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { dateIn } from '../../../deploy/local/demo/dates.ts'
import { CallbackReceiver, type EventAnswer } from '@connectivity/toolkit/callback-receiver'
import { send, type SendOptions } from '@connectivity/toolkit/partner'
import { poll } from '@connectivity/toolkit/until'
import { type Figures, latenciesOf } from '../history/figures.ts'
import { HOTEL_ROOMS, type Partner } from './target.ts'

const PAUSE = 100
const BOOK_EVERY = 250
/** Time a callback may still come after the round, ms. */
const LATE = 10_000
const WITHIN = 15_000

type Kind = 'feed' | 'events' | 'ari' | 'callbacks'
interface Answer {
  status: number
  body?: { error?: { code?: string }; events?: { event_id: string }[] }
}

export class HealthyPartner {
  private readonly waiting = new Map<string, number>()
  private times: Record<Kind, number[]> = { feed: [], events: [], ari: [], callbacks: [] }
  private refused: string[] = []
  private written = 0
  private readonly receiver = new CallbackReceiver((event) => this.receive(event as { reservation_id: string }))
  private readonly baseUrl: string
  private readonly partner: Partner
  private readonly book: (id: string) => Promise<void>

  /** @param book creates a booking of the hotel with the id */
  constructor(baseUrl: string, partner: Partner, book: (id: string) => Promise<void>) {
    this.baseUrl = baseUrl
    this.partner = partner
    this.book = book
  }

  /** Registers the callback. */
  async begin(): Promise<void> {
    const url = (await this.receiver.start()).urlOf('/')
    const path = `/properties/${this.partner.connection}/callback`
    const { status } = await this.send('PUT', path, { body: { url }, key: randomUUID() })
    if (status !== 200 && status !== 201) throw new Error(`the callback of the healthy partner was answered ${status}`)
  }

  /** Acknowledges all events: those of the large bookings would fill the list that is read during attacks. */
  async acknowledge(): Promise<void> {
    const query = { ...this.own, limit: '100', status: 'unacknowledged' }
    for (;;) {
      const { body: { events = [] } = {} } = await this.send('GET', '/reservations/events', { query })
      if (events.length === 0) return
      const acknowledgements = events.map(({ event_id }) => ({ event_id, outcome: 'processed' }))
      const given = { body: { ...this.own, acknowledgements }, key: randomUUID() }
      const { status } = await this.send('POST', '/reservations/ack', given)
      if (status !== 200) throw new Error(`the acknowledgement of the healthy partner was answered ${status}`)
    }
  }

  end(): void {
    this.receiver.stop()
  }

  /** Works for `milliseconds`. */
  async work(milliseconds: number): Promise<{ figures: Figures; refused: string[] }> {
    this.times = { feed: [], events: [], ari: [], callbacks: [] }
    this.refused = []
    const end = Date.now() + milliseconds
    await Promise.all([
      this.repeat('feed', end, () => this.poll()),
      this.repeat('events', end, () => this.lookAtEvents()),
      this.repeat('ari', end, () => this.write()),
      this.bookUntil(end),
    ])
    const { feed, events, ari, callbacks } = this.times
    const figures = {
      feed: latenciesOf(feed),
      events: latenciesOf(events),
      ari: latenciesOf(ari),
      callbacks: latenciesOf(callbacks),
    }
    return { figures, refused: this.refused }
  }

  private async repeat(kind: Kind, end: number, call: () => Promise<Answer>): Promise<void> {
    for (; Date.now() < end; await sleep(PAUSE)) {
      const begun = performance.now()
      const { status, body } = await call()
      this.times[kind].push(performance.now() - begun)
      if (status !== 200) this.refused.push(`${kind}: ${status} ${body?.error?.code ?? ''}`)
    }
  }

  private async bookUntil(end: number): Promise<void> {
    for (; Date.now() < end; await sleep(BOOK_EVERY)) {
      const id = `HEALTHY-${randomUUID()}`
      await this.book(id)
      this.waiting.set(id, performance.now())
    }
    await poll(() => this.waiting.size === 0, { within: LATE, every: PAUSE })
    for (const since of this.waiting.values()) this.times.callbacks.push(performance.now() - since)
    this.waiting.clear()
  }

  private receive({ reservation_id: id }: { reservation_id: string }): EventAnswer {
    const since = this.waiting.get(id)
    if (since !== undefined) this.times.callbacks.push(performance.now() - since)
    this.waiting.delete(id)
    return { status: 200 }
  }

  private poll(): Promise<Answer> {
    const updated_since = new Date(Date.now() - 1_000).toISOString()
    return this.send('GET', '/reservations', { query: { ...this.own, updated_since } })
  }

  private lookAtEvents(): Promise<Answer> {
    return this.send('GET', '/reservations/events', { query: { ...this.own, limit: '10', status: 'unacknowledged' } })
  }

  private write(): Promise<Answer> {
    const update = {
      room_id: HOTEL_ROOMS[0],
      rate_plan_id: 'rp_flex',
      date_from: dateIn(30),
      date_to: dateIn(30),
      // Two equal bodies in one second would have the same signature, which is valid for one call.
      rates: [{ amount: (100 + this.written++ / 100).toFixed(2) }],
    }
    return this.send('POST', '/ari', { body: { ...this.own, currency: 'EUR', updates: [update] }, key: randomUUID() })
  }

  private get own() {
    return { property_id: this.partner.connection }
  }

  private async send(method: string, path: string, given: SendOptions): Promise<Answer> {
    const options = { ...given, within: WITHIN }
    return send<Answer['body']>(this.baseUrl, method, path, this.partner.signing, options).catch((error: Error) => ({
      status: 0,
      body: { error: { code: error.name } },
    }))
  }
}

// Partners that wait for changes instead of polling: they request the changes after their place, again and again.
import type { EventPage } from '@connectivity/contracts/event-index'
import type { FeedPage } from '@connectivity/contracts/reservation'
import type { Client } from './client.ts'
import type { History, WaitKind } from '../history/history-types.ts'
import type { Pace } from './pace.ts'

const EPOCH = '1970-01-01T00:00:00.000Z'
/** Seconds. */
const WAIT = 5
/** Pause after a request that was not served, ms. */
const PAUSE = 150

const afterwards = (stamp: string): string => new Date(Date.parse(stamp) + 1).toISOString()

/** A page as a waiting partner takes it. */
interface Found {
  /** Identifies the first row; null on an empty page. */
  first: string | null
  /** Place from which the partner continues; null on an empty page. */
  place: string | null
}

function rowsOf({ reservations, errors }: FeedPage): Found {
  const stamps = [...reservations, ...errors].map(({ updated_at }) => updated_at).toSorted()
  return { first: stamps[0] ?? null, place: stamps.at(-1) ?? null }
}

function eventsOf({ events }: EventPage): Found {
  const last = events.at(-1)
  return { first: events[0]?.event_id ?? null, place: last ? String(last.sequence) : null }
}

/** How each kind of page is requested and read. */
const kinds: Record<
  WaitKind,
  { path: string; begin: string; query: (place: string) => Record<string, string>; read: (body: unknown) => Found }
> = {
  feed: {
    path: '/reservations',
    begin: EPOCH,
    query: (place) => ({ updated_since: afterwards(place) }),
    read: (body) => rowsOf(body as FeedPage),
  },
  events: {
    path: '/reservations/events',
    begin: '0',
    query: (place) => ({ after_sequence: place }),
    read: (body) => eventsOf(body as EventPage),
  },
}

export class Waiter {
  readonly #client: Client
  readonly #connection: string
  readonly #history: History
  readonly #kind: WaitKind
  #place: string

  constructor(client: Client, connection: string, kind: WaitKind, history: History) {
    this.#client = client
    this.#connection = connection
    this.#kind = kind
    this.#history = history
    this.#place = kinds[kind].begin
  }

  async run(pace: Pace): Promise<void> {
    while (!pace.isOver) if (!(await this.#wait())) await pace.pause(PAUSE)
  }

  /** @returns whether the request was served */
  async #wait(): Promise<boolean> {
    const [connection, kind, from] = [this.#connection, this.#kind, Date.now()]
    const { path, query: after, read } = kinds[kind]
    const query = { property_id: connection, ...after(this.#place), wait: String(WAIT) }
    const answer = await this.#client.try('GET', path, { query })
    const isAnswered = answer?.status === 200
    const { first, place } = isAnswered ? read(answer.body) : { first: null, place: null }
    this.#history.waits.push({ connection, kind, seconds: WAIT, from, at: Date.now(), isAnswered, first })
    this.#place = place ?? this.#place
    return isAnswered
  }
}

// A partner that polls exactly by the algorithm of the guide: starts at the checkpoint, follows cursors, advances the
// checkpoint once a page is processed, and repeats the request after anything but 200.
import type { FeedDigest } from '@connectivity/contracts/digest'
import type { FeedPage, Reservation, ReservationProblem } from '@connectivity/contracts/reservation'
import type { Client } from './client.ts'
import type { History, Row } from '../history/history-types.ts'
import type { Pace } from './pace.ts'
import { shownVersion } from './property.ts'

const EPOCH = '1970-01-01T00:00:00.000Z'
const PAUSE = 150
const LIMIT = '20'
/** Interval between two comparisons with the service, ms. */
const COMPARE_EVERY = 2_000

const rowOf = (reservation: Reservation): Row => ({
  id: reservation.reservation_id,
  updated_at: reservation.updated_at,
  version: shownVersion(reservation),
  status: reservation.status,
  rooms: reservation.accommodation.map(({ external_room_id }) => external_room_id),
  isProblem: false,
})

const problemOf = ({ reservation_id: id, updated_at }: ReservationProblem): Row => ({
  id,
  updated_at,
  version: null,
  status: null,
  rooms: [],
  isProblem: true,
})

const inOrder = (rows: Row[]): Row[] => rows.toSorted((a, b) => (a.updated_at < b.updated_at ? -1 : 1))

export class Poller {
  readonly #client: Client
  readonly #connection: string
  readonly #history: History
  #checkpoint = EPOCH
  readonly #seen = new Set<string>()
  #pages = 0
  #comparedAt = 0

  constructor(client: Client, connection: string, history: History) {
    this.#client = client
    this.#connection = connection
    this.#history = history
  }

  /** Whether the feed has shown a reservation. */
  hasSeen(id: string): boolean {
    return this.#seen.has(id)
  }

  async run(pace: Pace): Promise<void> {
    while (!pace.isOver) {
      await this.pull()
      if (Date.now() - this.#comparedAt > COMPARE_EVERY) await this.compare()
      await pace.pause(PAUSE)
    }
  }

  /** Pulls from the checkpoint to the end of the feed, or to the first page that is not served. */
  async pull(): Promise<void> {
    const property_id = this.#connection
    let query: Record<string, string> = { property_id, updated_since: this.#checkpoint, limit: LIMIT }
    for (let isFirst = true; ; isFirst = false) {
      const answer = await this.#client.try('GET', '/reservations', { query })
      if (answer?.status !== 200) return
      const page = answer.body as FeedPage
      this.#take(page, isFirst)
      const { next_cursor: cursor } = page.pagination
      if (cursor === null) return
      query = { property_id, cursor, limit: LIMIT }
    }
  }

  /** Records the service's digest at the checkpoint, if it is answered. */
  async compare(): Promise<void> {
    this.#comparedAt = Date.now()
    const [connection, checkpoint, pages] = [this.#connection, this.#checkpoint, this.#pages]
    const query = { property_id: connection, checkpoint }
    const answer = await this.#client.try('GET', '/reservations/digest', { query })
    if (answer?.status !== 200) return
    const { rows, digest, moved } = answer.body as FeedDigest
    this.#history.digests.push({ connection, pages, checkpoint, rows, digest, moved })
  }

  #take({ reservations, errors }: FeedPage, isFirst: boolean): void {
    const rows = inOrder([...reservations.map(rowOf), ...errors.map(problemOf)])
    const last = rows.at(-1)
    if (!last) return
    for (const { id } of rows) this.#seen.add(id)
    this.#checkpoint = last.updated_at > this.#checkpoint ? last.updated_at : this.#checkpoint
    this.#pages += 1
    this.#history.pages.push({ connection: this.#connection, at: Date.now(), isFirst, rows })
  }
}

// A partner that waits for changes instead of polling: asks for what follows its checkpoint, and again at once.
import type { FeedPage } from '@connectivity/contracts/reservation'
import type { Client } from './client.ts'
import type { History } from './history-types.ts'
import type { Pace } from './pace.ts'

const EPOCH = '1970-01-01T00:00:00.000Z'
/** Seconds. */
const WAIT = '3'
/** Pause after a request that was not served, ms. */
const PAUSE = 150

const afterwards = (stamp: string): string => new Date(Date.parse(stamp) + 1).toISOString()

export class Waiter {
  readonly #client: Client
  readonly #connection: string
  readonly #history: History
  #checkpoint = EPOCH

  constructor(client: Client, connection: string, history: History) {
    this.#client = client
    this.#connection = connection
    this.#history = history
  }

  async run(pace: Pace): Promise<void> {
    while (!pace.isOver) if (!(await this.#wait())) await pace.pause(PAUSE)
  }

  /** @returns whether the request was served */
  async #wait(): Promise<boolean> {
    const from = Date.now()
    const query = { property_id: this.#connection, updated_since: afterwards(this.#checkpoint), wait: WAIT }
    const answer = await this.#client.try('GET', '/reservations', { query })
    if (answer?.status !== 200) return false
    const { reservations, errors } = answer.body as FeedPage
    const stamps = [...reservations, ...errors].map(({ updated_at }) => updated_at).toSorted()
    this.#history.waits.push({ connection: this.#connection, from, at: Date.now(), first: stamps[0] ?? null })
    this.#checkpoint = stamps.at(-1) ?? this.#checkpoint
    return true
  }
}

// Partners that read a feed through the gateway and note when they see each reservation.
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import type { FeedPage } from '@connectivity/contracts/reservation'
import type { SignedConnection } from '@connectivity/toolkit/partner'
import { signedPoll } from '../load.ts'

/** First sight of a reservation, both in ms since 1970. */
export interface Sight {
  /** Its `updated_at`. */
  stamp: number
  seen: number
}

/** Pause between two polls, ms: a poller without takes CPU time from the service that it measures. */
export const PAUSE = 5
/** Seconds that a request waits for news. */
const WAIT = 1

/** How a partner requests changes after its checkpoint. */
interface Habit {
  /** Parameters of the next request. */
  query: (checkpoint: number) => string
  /** ms */
  pause: number
}

/** Now in ms since 1970, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now()

const iso = (time: number): string => new Date(time).toISOString()

const habits = {
  polling: { query: (checkpoint) => `updated_since=${iso(checkpoint)}`, pause: PAUSE },
  waiting: { query: (checkpoint) => `updated_since=${iso(checkpoint + 1)}&wait=${WAIT}`, pause: 0 },
} satisfies Record<string, Habit>

export type HabitName = keyof typeof habits

/** Reads from its start until it is stopped; any answer but 200 throws. */
export class PartnerReader {
  readonly sights = new Map<string, Sight>()
  readonly #baseUrl: string
  readonly #connection: SignedConnection
  readonly #habit: Habit
  readonly #done: Promise<void>
  #checkpoint: number
  #isReading = true

  /** @param from first checkpoint, ms since 1970 */
  constructor(baseUrl: string, connection: SignedConnection, habit: HabitName, from: number) {
    this.#baseUrl = baseUrl
    this.#connection = connection
    this.#habit = habits[habit]
    this.#checkpoint = from
    this.#done = this.#read()
  }

  stop(): Promise<void> {
    this.#isReading = false
    return this.#done
  }

  async #read(): Promise<void> {
    const pool = new Pool(this.#baseUrl, { connections: 1 })
    const { property_id, signing } = this.#connection
    while (this.#isReading) {
      const query = `property_id=${property_id}&limit=100&${this.#habit.query(this.#checkpoint)}`
      const answer = await pool.request({ method: 'GET', ...signedPoll(query, signing) })
      const body = (await answer.body.json()) as FeedPage
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${JSON.stringify(body)}`)
      this.#note(body)
      if (this.#habit.pause > 0) await delay(this.#habit.pause)
    }
    await pool.close()
  }

  #note({ reservations }: FeedPage): void {
    const seen = now()
    for (const { reservation_id, updated_at } of reservations) {
      const stamp = Date.parse(updated_at)
      if (!this.sights.has(reservation_id)) this.sights.set(reservation_id, { stamp, seen })
      this.#checkpoint = stamp
    }
  }
}

// A partner that writes prices: each call sets all cells of a block to an amount that no other call uses, so that the
// amount identifies the call. Some calls are partly faulty and must change nothing.
import type { AriUpdateWrite, AriWrite, AriWritten } from '@connectivity/contracts/ari'
import { dateIn } from '../../../deploy/local/demo/dates.ts'
import { draw, type Draw, randomFrom } from '../../../deploy/local/demo/random.ts'
import type { Client } from './client.ts'
import type { Connection, History } from '../history/history-types.ts'
import type { Pace } from './pace.ts'
import { RATE_PLAN, UNKNOWN_ROOM } from './property.ts'

const PAUSE = 300
const [FAULTY, AT_ONCE, AGAIN] = [0.1, 0.1, 0.2]

/** A range of days, both bounds inclusive. */
interface Days {
  from: string
  to: string
}

/** Rooms and days that one call sets. */
interface Block extends Days {
  rooms: string[]
}

const daysAt = (day: number): Days => ({ from: dateIn(day), to: dateIn(day + 2) })

/** Computed once, so that the days stay the same when midnight passes. */
export const EARLY = daysAt(10)
export const LATE = daysAt(20)

export const BLOCKS: readonly Block[] = [
  { rooms: ['rm_0', 'rm_1'], ...EARLY },
  { rooms: ['rm_2', 'rm_3'], ...EARLY },
  { rooms: ['rm_0', 'rm_1'], ...LATE },
]

const update = (room_id: string, { from, to }: Days, amount: string): AriUpdateWrite => ({
  room_id,
  rate_plan_id: RATE_PLAN,
  date_from: from,
  date_to: to,
  rates: [{ amount }],
})

/** A writer's connection, its number, and the number of writers in a run. */
export interface Own extends Connection {
  number: number
  of: number
}

/** One call, however often it is sent. */
interface Call {
  amount: string
  block: number
  isGood: boolean
  body: AriWrite
  key: string
}

export class AriWriter {
  readonly #client: Client
  readonly #own: Own
  readonly #history: History
  readonly #drawn: Draw
  #count = 0

  constructor(client: Client, own: Own, history: History, seed: number) {
    this.#client = client
    this.#own = own
    this.#history = history
    this.#drawn = draw(randomFrom(seed + own.number))
  }

  async run(pace: Pace): Promise<void> {
    while (!pace.isOver) {
      await this.write({ isGood: !this.#drawn.chance(FAULTY) })
      await pace.pause(PAUSE)
    }
  }

  /** Sends one call until its answer is final; sometimes sends it twice at once, or once more afterwards. */
  async write({ isGood = true } = {}): Promise<void> {
    const call = this.#nextCall(isGood)
    const [atOnce, again] = [this.#drawn.chance(AT_ONCE), this.#drawn.chance(AGAIN)]
    await Promise.all([this.#send(call), atOnce && this.#send(call)])
    if (again) await this.#send(call)
  }

  #nextCall(isGood: boolean): Call {
    const { number, of, connection } = this.#own
    this.#count += 1
    const amount = ((100 + this.#count * of + number) / 100).toFixed(2)
    const block = this.#drawn.integer(0, BLOCKS.length - 1)
    const { rooms, ...days } = BLOCKS[block]!
    const updates = rooms.map((room) => update(room, days, amount))
    if (!isGood) updates.push(update(UNKNOWN_ROOM, days, amount))
    const body = { property_id: connection, currency: 'EUR', updates }
    return { amount, block, isGood, body, key: `ari-${number}-${this.#count}` }
  }

  async #send({ body, key, amount, block, isGood }: Call): Promise<void> {
    const from = Date.now()
    const given = { body, key, refusals: isGood ? [] : [422] }
    const { status, body: said } = await this.#client.send('POST', '/ari', given)
    const revision = (said as Partial<AriWritten> | undefined)?.ari_revision ?? null
    const { property } = this.#own
    this.#history.ari.push({ property, key, amount, block, isGood, from, at: Date.now(), status, revision })
  }
}

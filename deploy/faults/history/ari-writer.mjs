// A partner that writes prices: each call sets all cells of a block to an amount that no other call uses, so that the
// amount identifies the call. Some calls are partly faulty and must change nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { dateIn } from '../../local/demo/dates.mjs'
import { draw, randomFrom } from '../../local/demo/random.mjs'
import { RATE_PLAN, UNKNOWN_ROOM } from './property.mjs'

const PAUSE = 300
const [FAULTY, AT_ONCE, AGAIN] = [0.1, 0.1, 0.2]

const [EARLY, LATE] = [10, 20].map((day) => ({ from: dateIn(day), to: dateIn(day + 2) }))

/** Rooms and days that one call sets; the days stay the same when midnight passes. */
export const BLOCKS = [
  { rooms: ['rm_0', 'rm_1'], ...EARLY },
  { rooms: ['rm_2', 'rm_3'], ...EARLY },
  { rooms: ['rm_0', 'rm_1'], ...LATE },
]

const update = (room_id, { from, to }, amount) => ({
  room_id,
  rate_plan_id: RATE_PLAN,
  date_from: from,
  date_to: to,
  rates: [{ amount }],
})

export class AriWriter {
  #client
  #own
  #history
  #drawn
  #count = 0

  /** @param {{ connection: string, property: string, number: number, of: number }} own `number` of the writers of a run */
  constructor(client, own, history, seed) {
    this.#client = client
    this.#own = own
    this.#history = history
    this.#drawn = draw(randomFrom(seed + own.number))
  }

  async run(isOver) {
    while (!isOver()) {
      await this.write({ isGood: !this.#drawn.chance(FAULTY) })
      await sleep(PAUSE)
    }
  }

  /** Sends one call until its answer is final; sometimes sends it twice at once, or once more afterwards. */
  async write({ isGood = true } = {}) {
    const call = this.#nextCall(isGood)
    const [atOnce, again] = [this.#drawn.chance(AT_ONCE), this.#drawn.chance(AGAIN)]
    await Promise.all([this.#send(call), atOnce && this.#send(call)])
    if (again) await this.#send(call)
  }

  #nextCall(isGood) {
    const { number, of, connection } = this.#own
    this.#count += 1
    const amount = ((100 + this.#count * of + number) / 100).toFixed(2)
    const block = this.#drawn.integer(0, BLOCKS.length - 1)
    const updates = BLOCKS[block].rooms.map((room) => update(room, BLOCKS[block], amount))
    if (!isGood) updates.push(update(UNKNOWN_ROOM, BLOCKS[block], amount))
    const body = { property_id: connection, currency: 'EUR', updates }
    return { amount, block, isGood, body, key: `ari-${number}-${this.#count}` }
  }

  async #send({ body, key, amount, block, isGood }) {
    const from = Date.now()
    const given = { body, key, refusals: isGood ? [] : [422] }
    const { status, body: said } = await this.#client.send('POST', '/ari', given)
    const revision = said?.ari_revision ?? null
    const { property } = this.#own
    this.#history.ari.push({ property, key, amount, block, isGood, from, at: Date.now(), status, revision })
  }
}

// Reads the inventory back while it is being written.
import { setTimeout as sleep } from 'node:timers/promises'
import { BLOCKS } from './ari-writer.mjs'

const PAUSE = 700

const blockOf = (room, date) =>
  BLOCKS.findIndex(({ rooms, from, to }) => rooms.includes(room) && date >= from && date <= to)

const cellsOf = ({ rate_plans }) =>
  rate_plans.flatMap(({ room_id: room, days }) =>
    days.flatMap(({ date, rates }) => rates.map(({ amount }) => ({ block: blockOf(room, date), amount }))),
  )

export class AriReader {
  #client
  #own
  #history

  constructor(client, own, history) {
    this.#client = client
    this.#own = own
    this.#history = history
  }

  async run(isOver) {
    while (!isOver()) {
      await this.read()
      await sleep(PAUSE)
    }
  }

  async read() {
    const days = { date_from: BLOCKS[0].from, date_to: BLOCKS.at(-1).to }
    const query = { property_id: this.#own.connection, ...days }
    const from = Date.now()
    const answer = await this.#client.try('GET', '/ari', { query })
    if (answer?.status !== 200) return
    const { ari_revision: revision } = answer.body
    const { property } = this.#own
    this.#history.inventory.push({ property, from, at: Date.now(), revision, cells: cellsOf(answer.body) })
  }
}

// Reads the inventory back while it is being written.
import type { AriState } from '@connectivity/contracts/ari'
import { BLOCKS, EARLY, LATE } from './ari-writer.ts'
import type { Client } from './client.ts'
import type { BlockCell, Connection, History } from '../history/history-types.ts'
import type { Pace } from './pace.ts'

const PAUSE = 700

const blockOf = (room: string, date: string): number =>
  BLOCKS.findIndex(({ rooms, from, to }) => rooms.includes(room) && date >= from && date <= to)

const cellsOf = ({ rate_plans }: AriState): BlockCell[] =>
  rate_plans.flatMap(({ room_id: room, days }) =>
    days.flatMap(({ date, rates }) => rates.map(({ amount }) => ({ block: blockOf(room, date), amount }))),
  )

export class AriReader {
  readonly #client: Client
  readonly #own: Connection
  readonly #history: History

  constructor(client: Client, own: Connection, history: History) {
    this.#client = client
    this.#own = own
    this.#history = history
  }

  async run(pace: Pace): Promise<void> {
    while (!pace.isOver) {
      await this.read()
      await pace.pause(PAUSE)
    }
  }

  async read(): Promise<void> {
    const days = { date_from: EARLY.from, date_to: LATE.to }
    const query = { property_id: this.#own.connection, ...days }
    const from = Date.now()
    const answer = await this.#client.try('GET', '/ari', { query })
    if (answer?.status !== 200) return
    const state = answer.body as AriState
    const { property } = this.#own
    const revision = state.ari_revision
    this.#history.inventory.push({ property, from, at: Date.now(), revision, cells: cellsOf(state) })
  }
}

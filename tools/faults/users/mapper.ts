// A partner that renames its rooms at intervals: every affected reservation must be delivered again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { MappingsWritten, MappingWrite } from '@connectivity/contracts/mappings'
import { draw, type Draw, randomFrom } from '../../../deploy/local/demo/random.ts'
import type { Client } from './client.ts'
import type { History } from '../history/history-types.ts'
import type { Pace } from './pace.ts'
import { RATE_PLAN, ROOMS } from './property.ts'

const PAUSE = 4_000

export class Mapper {
  readonly #client: Client
  readonly #connection: string
  readonly #history: History
  readonly #drawn: Draw
  #count = 0

  constructor(client: Client, connection: string, history: History, seed: number) {
    this.#client = client
    this.#connection = connection
    this.#history = history
    this.#drawn = draw(randomFrom(seed))
  }

  /** Maps every room and rate plan. */
  mapAll(): Promise<void> {
    const rooms = ROOMS.map((service_id) => this.#room(service_id))
    return this.#map([...rooms, { entity_type: 'rate_plan', service_id: RATE_PLAN, external_id: 'FLEX' }])
  }

  async run(pace: Pace): Promise<void> {
    for (;;) {
      for (const end = Date.now() + PAUSE; Date.now() < end; await sleep(100)) if (pace.isOver) return
      await this.#map([this.#room(this.#drawn.one(ROOMS))])
    }
  }

  #room(service_id: string): MappingWrite {
    return { entity_type: 'room', service_id, external_id: `${service_id}-${this.#count}` }
  }

  async #map(mappings: MappingWrite[]): Promise<void> {
    this.#count += 1
    const path = `/properties/${this.#connection}/mappings`
    const answer = await this.#client.send('POST', path, { body: { mappings }, key: `map-${this.#count}` })
    if (answer.status !== 200) return
    const { mappings: all, mapping_version: version } = answer.body as MappingsWritten
    const rooms = all.filter(({ entity_type }) => entity_type === 'room')
    this.#history.mappings.push({
      connection: this.#connection,
      at: Date.now(),
      version,
      rooms: Object.fromEntries(rooms.map(({ service_id, external_id }) => [service_id, external_id])),
    })
  }
}

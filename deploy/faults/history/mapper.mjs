// A partner that renames its rooms at intervals: every affected reservation must be delivered again.
import { setTimeout as sleep } from 'node:timers/promises'
import { draw, randomFrom } from '../../local/demo/random.mjs'
import { RATE_PLAN, ROOMS } from './property.mjs'

const PAUSE = 4_000

export class Mapper {
  #client
  #connection
  #history
  #drawn
  #count = 0

  constructor(client, connection, history, seed) {
    this.#client = client
    this.#connection = connection
    this.#history = history
    this.#drawn = draw(randomFrom(seed))
  }

  /** Maps every room and rate plan. */
  mapAll() {
    const rooms = ROOMS.map((service_id) => this.#room(service_id))
    return this.#map([...rooms, { entity_type: 'rate_plan', service_id: RATE_PLAN, external_id: 'FLEX' }])
  }

  async run(isOver) {
    for (;;) {
      for (const end = Date.now() + PAUSE; Date.now() < end; await sleep(100)) if (isOver()) return
      await this.#map([this.#room(this.#drawn.one(ROOMS))])
    }
  }

  #room(service_id) {
    return { entity_type: 'room', service_id, external_id: `${service_id}-${this.#count}` }
  }

  async #map(mappings) {
    this.#count += 1
    const path = `/properties/${this.#connection}/mappings`
    const answer = await this.#client.send('POST', path, { body: { mappings }, key: `map-${this.#count}` })
    if (answer.status !== 200) return
    const rooms = answer.body.mappings.filter(({ entity_type }) => entity_type === 'room')
    this.#history.mappings.push({
      connection: this.#connection,
      at: Date.now(),
      version: answer.body.mapping_version,
      rooms: Object.fromEntries(rooms.map(({ service_id, external_id }) => [service_id, external_id])),
    })
  }
}

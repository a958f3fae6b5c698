// A partner that writes prices: signed POST /ari over keep-alive connections.
import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { BASE_PATH, signedHeaders } from '../../local/demo/partner.mjs'
import { RATE_PLAN, roomId } from './property.mjs'

const PATH = `${BASE_PATH}/ari`

export class WritingPartner {
  #pool
  #connection

  constructor(baseUrl, connection, connections) {
    this.#pool = new Pool(baseUrl, { connections })
    this.#connection = connection
  }

  /** Sets one price for each named room on the days; anything but 200 throws. */
  async price(rooms, from, to, amount) {
    const { property_id, signing } = this.#connection
    const updates = rooms.map((index) => ({
      room_id: roomId(index),
      rate_plan_id: RATE_PLAN,
      date_from: from,
      date_to: to,
      rates: [{ amount }],
    }))
    const body = JSON.stringify({ property_id, currency: 'EUR', updates })
    const headers = {
      ...signedHeaders('POST', PATH, body, signing),
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    }
    const answer = await this.#pool.request({ method: 'POST', path: PATH, headers, body })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`)
    return JSON.parse(text)
  }

  close() {
    return this.#pool.close()
  }
}

// A partner that writes prices: signed POST /ari over keep-alive connections.
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { RATE_PLAN, roomId } from './property.mjs'

const PATH = '/api/connectivity/v1/ari'

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
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...signed(body, signing) }
    const answer = await this.#pool.request({ method: 'POST', path: PATH, headers, body })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`)
    return JSON.parse(text)
  }

  close() {
    return this.#pool.close()
  }
}

function signed(body, { key_id, signing_secret }) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const hash = createHash('sha256').update(body).digest('hex')
  const signature = createHmac('sha256', signing_secret).update(`POST\n${PATH}\n${timestamp}\n${hash}`).digest('hex')
  return { 'x-service-key-id': key_id, 'x-service-timestamp': timestamp, 'x-service-signature': signature }
}

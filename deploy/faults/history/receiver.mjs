// The partners' callback receiver: verifies events, answers them (sometimes with 500) and acknowledges accepted ones.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyByHand } from '../../../examples/receiver/verify.mjs'
import { draw, randomFrom } from '../../local/demo/random.mjs'
import { PROBE } from './source.mjs'

const REFUSED = 0.02
const ACKNOWLEDGE_EVERY = 500
const AT_ONCE = 100

async function bytesOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export class Receiver {
  #history
  #drawn
  #callbacks = new Map()
  #refused = new Set()
  #seen = new Set()
  #calls = 0
  #server

  constructor(history, seed) {
    this.#history = history
    this.#drawn = draw(randomFrom(seed))
  }

  async start() {
    this.#server = createServer((request, response) => void this.#receive(request, response).catch(() => {}))
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  /** Registers itself as a connection's callback. */
  async register(client, connection) {
    const callback = { client, connection, secret: null, waiting: [] }
    this.#callbacks.set(`/${connection}`, callback)
    const body = { url: `http://127.0.0.1:${this.#server.address().port}/${connection}` }
    const answer = await client.send('PUT', `/properties/${connection}/callback`, { body, key: 'register' })
    callback.secret = answer.body.secret
  }

  /** Whether an event of the reservation has come to the connection. */
  hasSeen(connection, id) {
    return this.#seen.has(`${connection} ${id}`)
  }

  /** Acknowledges events until the run is over and none is left. */
  async run(isOver) {
    while (!isOver()) {
      await sleep(ACKNOWLEDGE_EVERY)
      await this.acknowledge()
    }
  }

  async acknowledge() {
    for (const callback of this.#callbacks.values()) {
      while (callback.waiting.length > 0) await this.#acknowledgeSome(callback, callback.waiting.splice(0, AT_ONCE))
    }
  }

  stop() {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #acknowledgeSome({ client, connection }, ids) {
    const acknowledgements = ids.map((event_id) => ({ event_id, outcome: 'processed' }))
    const given = { body: { property_id: connection, acknowledgements }, key: `ack-${this.#calls++}` }
    const { status, body } = await client.send('POST', '/reservations/ack', given)
    if (status !== 200) return
    for (const { event_id, status: became } of body.results) {
      this.#history.acknowledged.push({ connection, event_id, isKnown: became !== 'not_found' })
    }
  }

  async #receive(request, response) {
    const body = await bytesOf(request)
    const callback = this.#callbacks.get(request.url)
    const event = JSON.parse(body)
    if (event.challenge) return void response.end(JSON.stringify({ challenge: event.challenge }))
    if (callback.secret === null) return void response.writeHead(503).end()
    const isVerified = verifyByHand(callback.secret, request.headers, body)
    const isTaken = isVerified && !this.#refuses(event)
    this.#note(callback, event, { isVerified, isTaken })
    response.writeHead(isTaken ? 204 : 500).end()
  }

  /** Refuses each event at most once, so that it is late by 5 s at most; never refuses one that a probe waits for. */
  #refuses({ event_id: eventId, reservation_id: id }) {
    if (id.startsWith(PROBE) || this.#refused.has(eventId) || !this.#drawn.chance(REFUSED)) return false
    this.#refused.add(eventId)
    return true
  }

  #note({ connection, waiting }, event, how) {
    const { event_id, sequence, reservation_id: id } = event
    this.#history.deliveries.push({ connection, event_id, sequence, id, at: Date.now(), ...how })
    if (!how.isTaken) return
    this.#seen.add(`${connection} ${id}`)
    waiting.push(event_id)
  }
}

// The partners' callback receiver: verifies events, answers them (sometimes with 500) and acknowledges accepted ones.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CallbackAnswer, CallbackChallenge } from '@connectivity/contracts/callbacks'
import type { AcknowledgementsAnswer } from '@connectivity/contracts/event-index'
import type { ReservationEvent } from '@connectivity/contracts/reservation-events'
import { verifyByHand } from '../../../examples/receiver/verify.mjs'
import { draw, type Draw, randomFrom } from '../../../deploy/local/demo/random.ts'
import type { Client } from './client.ts'
import type { Delivery, History } from '../history/history-types.ts'
import type { Pace } from './pace.ts'
import { PROBE } from './source.ts'

const REFUSED = 0.02
const ACKNOWLEDGE_EVERY = 500
const AT_ONCE = 100

/** The callback of one connection. */
interface Callback {
  client: Client
  connection: string
  /** Null until the registration was answered. */
  secret: string | null
  /** Ids of events to be acknowledged. */
  waiting: string[]
}

/** Body of a request: an event, or a challenge. */
type Received = ReservationEvent & Partial<Pick<CallbackChallenge, 'challenge'>>

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export class Receiver {
  readonly #history: History
  readonly #address: string
  readonly #drawn: Draw
  readonly #callbacks = new Map<string, Callback>()
  readonly #refused = new Set<string>()
  readonly #seen = new Set<string>()
  #calls = 0
  /** Set by `start`. */
  #server: Server

  /** @param address of this machine, at which the services reach it */
  constructor(history: History, address: string) {
    this.#history = history
    this.#address = address
    this.#drawn = draw(randomFrom(history.seed))
  }

  async start(): Promise<this> {
    this.#server = createServer((request, response) => void this.#receive(request, response).catch(() => {}))
    this.#server.listen(0, this.#address)
    await once(this.#server, 'listening')
    return this
  }

  /** Registers itself as a connection's callback. */
  async register(client: Client, connection: string): Promise<void> {
    const callback: Callback = { client, connection, secret: null, waiting: [] }
    this.#callbacks.set(`/${connection}`, callback)
    const { port } = this.#server.address() as AddressInfo
    const body = { url: `http://${this.#address}:${port}/${connection}` }
    const answer = await client.send('PUT', `/properties/${connection}/callback`, { body, key: 'register' })
    callback.secret = (answer.body as Required<CallbackAnswer>).secret
  }

  /** Whether an event of the reservation has come to the connection. */
  hasSeen(connection: string, id: string): boolean {
    return this.#seen.has(`${connection} ${id}`)
  }

  /** Acknowledges events until the run is over and none is left. */
  async run(pace: Pace): Promise<void> {
    while (!pace.isOver) {
      await pace.pause(ACKNOWLEDGE_EVERY)
      await this.acknowledge()
    }
  }

  async acknowledge(): Promise<void> {
    for (const callback of this.#callbacks.values()) {
      while (callback.waiting.length > 0) await this.#acknowledgeSome(callback, callback.waiting.splice(0, AT_ONCE))
    }
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #acknowledgeSome({ client, connection }: Callback, ids: string[]): Promise<void> {
    const acknowledgements = ids.map((event_id) => ({ event_id, outcome: 'processed' }))
    const given = { body: { property_id: connection, acknowledgements }, key: `ack-${this.#calls++}` }
    const { status, body } = await client.send('POST', '/reservations/ack', given)
    if (status !== 200) return
    for (const { event_id, status: became } of (body as AcknowledgementsAnswer).results) {
      this.#history.acknowledged.push({ connection, event_id, isKnown: became !== 'not_found' })
    }
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request)
    const callback = this.#callbacks.get(String(request.url))
    const event = JSON.parse(body.toString()) as Received
    if (event.challenge) return void response.end(JSON.stringify({ challenge: event.challenge }))
    if (!callback?.secret) return void response.writeHead(503).end()
    const isVerified = verifyByHand(callback.secret, request.headers, body)
    const isTaken = isVerified && !this.#refuses(event)
    this.#note(callback, event, { isVerified, isTaken })
    response.writeHead(isTaken ? 204 : 500).end()
  }

  /** Refuses each event at most once, so that it is late by 5 s at most; never refuses one that a probe waits for. */
  #refuses({ event_id: eventId, reservation_id: id }: ReservationEvent): boolean {
    if (id.startsWith(PROBE) || this.#refused.has(eventId) || !this.#drawn.chance(REFUSED)) return false
    this.#refused.add(eventId)
    return true
  }

  #note(
    { connection, waiting }: Callback,
    event: ReservationEvent,
    how: Pick<Delivery, 'isVerified' | 'isTaken'>,
  ): void {
    const { event_id, sequence, reservation_id: id } = event
    this.#history.deliveries.push({ connection, event_id, sequence, id, at: Date.now(), ...how })
    if (!how.isTaken) return
    this.#seen.add(`${connection} ${id}`)
    waiting.push(event_id)
  }
}

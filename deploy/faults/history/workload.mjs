// All users of the system during a run, working in parallel until stopped.
import { until } from '../../local/machine/until.mjs'
import { AriReader } from './ari-reader.mjs'
import { AriWriter } from './ari-writer.mjs'
import { Client } from './client.mjs'
import { Intruder } from './intruder.mjs'
import { Mapper } from './mapper.mjs'
import { Poller } from './poller.mjs'
import { Receiver } from './receiver.mjs'
import { PROPERTIES, setUp } from './set-up.mjs'
import { BookingSource } from './source.mjs'

const READY_WITHIN = 60_000
const PROBE_WITHIN = 120_000
const LOOK_EVERY = 20
const USES = 8

const seen = (check, what, within) =>
  until(check, { within, every: LOOK_EVERY, complaint: () => `${what} within ${within / 1000} s` })

/** One connection with everything its partner runs. */
function partnerOf(stack, { connection, property, signing }, number, of, history) {
  const client = new Client(stack.baseUrl, signing, history)
  const own = { connection, property, number, of }
  return {
    ...own,
    client,
    poller: new Poller(client, connection, history),
    writer: new AriWriter(client, own, history, history.seed),
    probe: new AriWriter(client, { ...own, number: number + of / 2 }, history, history.seed),
    reader: new AriReader(client, own, history),
    mapper: new Mapper(client, connection, history, history.seed + number),
  }
}

export class Workload {
  #isOver = false
  #all = []
  #baseUrl

  constructor(stack, found, history, most) {
    this.history = history
    this.api = found.api
    this.#baseUrl = stack.baseUrl
    const connections = [...found.pms, ...found.channelManager]
    const of = connections.length * 2
    this.partners = connections.map((one, number) => partnerOf(stack, one, number, of, history))
    history.connections = connections.map(({ connection, property }) => ({ connection, property }))
    this.source = new BookingSource({ brokers: stack.brokers, seed: history.seed, properties: PROPERTIES, most })
    this.receiver = new Receiver(history, history.seed)
    const [{ connection: target, signing: own }] = found.pms
    this.intruder = new Intruder(stack.baseUrl, { target, foreign: found.channelManager[0].signing, own }, history)
  }

  /**
   * Sets up connections, mappings and callbacks; resolves when everything is in use.
   * @param {{ most?: number }} options `most`: limit of bookings; without it, their number keeps growing
   */
  static async begin(stack, history, { most } = {}) {
    const workload = new Workload(stack, await setUp(stack), history, most)
    await workload.#prepare()
    // Requests that failed before the set-up had reached every process do not count as failures.
    history.failures.length = 0
    workload.#start()
    return workload
  }

  /** Measures the time until a fresh booking is polled and called back, and a write is applied; ms. */
  async probe() {
    const [{ poller, connection, probe }] = this.partners
    const from = performance.now()
    const booked = async (hasSeen, what) => {
      const id = await booking
      await seen(() => hasSeen(id), what, PROBE_WITHIN)
      return performance.now() - from
    }
    const booking = this.source.book()
    const [polled, calledBack] = await Promise.all([
      booked((id) => poller.hasSeen(id), 'a fresh booking was not polled'),
      booked((id) => this.receiver.hasSeen(connection, id), 'no callback came for a fresh booking'),
      probe.write(),
    ])
    return { polled, calledBack, all: performance.now() - from }
  }

  /** Revokes a credential that has just worked and must now be refused. */
  async revokeOne() {
    const [{ connection }] = this.partners
    const signing = await this.api.issueSigning(connection)
    const client = new Client(this.#baseUrl, signing, this.history)
    // Enough parallel requests for every gateway process to have seen it.
    await Promise.all(Array.from({ length: USES }, () => client.try('GET', '/auth/health')))
    await this.api.call('POST', `/credentials/${signing.credential_id}/revoke`, {})
    this.intruder.tryRevoked(signing)
  }

  /** Stops new work; resolves when all work in progress is done. */
  async stop() {
    this.#isOver = true
    await Promise.all(this.#all)
    await this.receiver.acknowledge()
  }

  async close() {
    this.#isOver = true
    await Promise.allSettled(this.#all)
    await this.source.close()
    this.receiver.stop()
  }

  async #prepare() {
    await this.receiver.start()
    for (const { client, connection, mapper } of this.partners) {
      const query = { property_id: connection }
      const isKnown = async () => (await client.try('GET', '/catalog/rooms', { query }))?.body.rooms?.length > 0
      await seen(isKnown, 'the catalog was not served', READY_WITHIN)
      await mapper.mapAll()
      await this.receiver.register(client, connection)
      const isWritable = async () =>
        (await client.try('GET', '/ari', { query: { ...query, ...SOME_DAY } }))?.status === 200
      await seen(isWritable, 'the inventory was not served', READY_WITHIN)
    }
  }

  #start() {
    const isOver = () => this.#isOver
    const runners = this.partners.flatMap(({ poller, writer, reader, mapper }) => [poller, writer, reader, mapper])
    this.#all = [...runners, this.source, this.receiver, this.intruder].map((runner) => runner.run(isOver))
  }
}

const SOME_DAY = { date_from: '2027-01-01', date_to: '2027-01-01' }

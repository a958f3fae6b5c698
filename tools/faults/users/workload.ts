// All users of the system during a run, working in parallel until stopped.
import type { RoomList } from '@connectivity/contracts/catalog-lists'
import type { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { until } from '@connectivity/toolkit/until'
import type { System } from '../stack/system.ts'
import { AriReader } from './ari-reader.ts'
import { AriWriter, type Own } from './ari-writer.ts'
import { type Answer, Client } from './client.ts'
import type { History } from '../history/history-types.ts'
import { Intruder } from './intruder.ts'
import { Mapper } from './mapper.ts'
import { Pace } from './pace.ts'
import { Poller } from './poller.ts'
import { Receiver } from './receiver.ts'
import { type Connected, PROPERTIES, setUp, type SetUp } from './set-up.ts'
import { BookingSource } from './source.ts'
import { Waiter } from './waiter.ts'

const READY_WITHIN = 60_000
const PROBE_WITHIN = 120_000
const LOOK_EVERY = 20
const USES = 8

const seen = (check: () => boolean | Promise<boolean>, what: string, within: number): Promise<unknown> =>
  until(check, { within, every: LOOK_EVERY, complaint: () => `${what} within ${within / 1000} s` })

/** The part of the stack that users see. */
type Addresses = Omit<System, 'untilAllReady'>

/** One connection with everything its partner runs. */
export interface Partner extends Own {
  client: Client
  poller: Poller
  waiters: Waiter[]
  writer: AriWriter
  /** Writer that only probes use. */
  probe: AriWriter
  reader: AriReader
  mapper: Mapper
}

/** A user that works until the run is over. */
interface Runner {
  run: (pace: Pace) => Promise<void>
}

/** Times until everything worked again, ms. */
export interface Probed {
  polled: number
  calledBack: number
  all: number
}

function partnerOf(baseUrl: string, connected: Connected, number: number, of: number, history: History): Partner {
  const { connection, property, signing } = connected
  const client = new Client(baseUrl, signing, history)
  const own = { connection, property, number, of }
  return {
    ...own,
    client,
    poller: new Poller(client, connection, history),
    waiters: (['feed', 'events'] as const).map((kind) => new Waiter(client, connection, kind, history)),
    writer: new AriWriter(client, own, history, history.seed),
    probe: new AriWriter(client, { ...own, number: number + of / 2 }, history, history.seed),
    reader: new AriReader(client, own, history),
    mapper: new Mapper(client, connection, history, history.seed + number),
  }
}

export class Workload {
  readonly history: History
  readonly api: OperatorsApi
  readonly partners: Partner[]
  readonly source: BookingSource
  readonly receiver: Receiver
  readonly intruder: Intruder
  readonly pace = new Pace()
  #all: Promise<void>[] = []
  readonly #baseUrl: string

  constructor(stack: Addresses, found: SetUp, history: History, most?: number) {
    this.history = history
    this.api = found.api
    this.#baseUrl = stack.baseUrl
    const connections = [...found.pms, ...found.channelManager]
    const of = connections.length * 2
    this.partners = connections.map((one, number) => partnerOf(stack.baseUrl, one, number, of, history))
    history.connections = connections.map(({ connection, property }) => ({ connection, property }))
    this.source = new BookingSource({ brokers: stack.brokers, seed: history.seed, properties: PROPERTIES, most })
    this.receiver = new Receiver(history, stack.callbackAddress)
    const [{ connection: target, signing: own }] = found.pms
    this.intruder = new Intruder(stack.baseUrl, { target, foreign: found.channelManager[0].signing, own }, history)
  }

  /**
   * Sets up connections, mappings and callbacks; resolves when everything is in use.
   * @param options `most`: limit of bookings; without it, their number keeps growing
   */
  static async begin(stack: Addresses, history: History, { most }: { most?: number } = {}): Promise<Workload> {
    const workload = new Workload(stack, await setUp(stack), history, most)
    await workload.#prepare()
    // Requests that failed before the set-up had reached every process do not count as failures.
    history.failures.length = 0
    workload.#start()
    return workload
  }

  /** Measures the time until a fresh booking is polled and called back, and a write is applied; ms. */
  async probe(): Promise<Probed> {
    const { poller, connection, probe } = this.#first
    const from = performance.now()
    const booked = async (hasSeen: (id: string) => boolean, what: string) => {
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

  /** Revokes a credential that has just worked; it must be refused from now on. */
  async revokeOne(): Promise<void> {
    const { connection } = this.#first
    const signing = await this.api.issueSigning(connection)
    const client = new Client(this.#baseUrl, signing, this.history)
    // Enough parallel requests for every gateway process to have seen it.
    await Promise.all(Array.from({ length: USES }, () => client.try('GET', '/auth/health')))
    await this.api.call('POST', `/credentials/${signing.credential_id}/revoke`, {})
    this.intruder.tryRevoked(signing)
  }

  /** Stops new work; resolves when all work in progress is done. */
  async stop(): Promise<void> {
    this.pace.end()
    await Promise.all(this.#all)
    await this.receiver.acknowledge()
  }

  async close(): Promise<void> {
    this.pace.end()
    await Promise.allSettled(this.#all)
    await this.source.close()
    this.receiver.stop()
  }

  /** The partner of probes and revocations. */
  get #first(): Partner {
    return this.partners[0]!
  }

  async #prepare(): Promise<void> {
    await this.receiver.start()
    for (const { client, connection, mapper } of this.partners) {
      const query = { property_id: connection }
      const isKnown = async () => listsRooms(await client.try('GET', '/catalog/rooms', { query }))
      await seen(isKnown, 'the catalog was not served', READY_WITHIN)
      await mapper.mapAll()
      await this.receiver.register(client, connection)
      const isWritable = async () =>
        (await client.try('GET', '/ari', { query: { ...query, ...SOME_DAY } }))?.status === 200
      await seen(isWritable, 'the inventory was not served', READY_WITHIN)
    }
  }

  #start(): void {
    const runners = this.partners.flatMap(({ poller, waiters, writer, reader, mapper }) => [
      poller,
      ...waiters,
      writer,
      reader,
      mapper,
    ])
    const all: Runner[] = [...runners, this.source, this.receiver, this.intruder]
    this.#all = all.map((runner) => runner.run(this.pace))
  }
}

const listsRooms = (answer: Answer | null): boolean =>
  ((answer?.body as Partial<RoomList> | undefined)?.rooms?.length ?? 0) > 0

const SOME_DAY = { date_from: '2027-01-01', date_to: '2027-01-01' }

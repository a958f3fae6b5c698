import { EventIndexStore } from '../src/events/event-index.store.js'
import { randomBytes } from 'node:crypto'
import { ConnectionStore } from '@connectivity/connections'
import { type Connection, latestConnections } from '@connectivity/contracts/connection-events'
import { parseReservationEvent, reservationEventTypes } from '@connectivity/contracts/reservation-events'
import { Database, NO_SCANS } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import type { InstanceName } from '@connectivity/kafka/broker'
import { createLogger } from '@connectivity/service-kit/logging'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { connection } from '@connectivity/testing/events'
import { startUntilLocked } from '@connectivity/testing/lock-waits'
import { ConfiguredKeyProvider, SecretVault } from '@connectivity/vault'
import { BacklogChangeStore } from '../src/backlog/backlog-change.store.js'
import { BacklogChanges } from '../src/backlog/backlog-changes.service.js'
import { WaitingDeliveriesStore } from '../src/backlog/waiting-deliveries.store.js'
import { CallbackSecrets } from '../src/sending/callback-secrets.service.js'
import { Attempts } from '../src/delivery/attempts.service.js'
import { DeliveryTargetStore } from '../src/delivery/delivery-target.store.js'
import { DeliveryResultStore } from '../src/delivery/delivery-result.store.js'
import { DeliveryResults } from '../src/delivery/delivery-results.service.js'
import { DeliverySignals } from '../src/delivery/delivery-signals.service.js'
import { Dispatcher } from '../src/delivery/dispatcher.service.js'
import { LaneStore } from '../src/delivery/lane.store.js'
import { EventStore } from '../src/intake/event.store.js'
import { ReplayStore } from '../src/backlog/replay.store.js'
import { LeaseKeeper } from '../src/delivery/lease-keeper.service.js'
import { LeaseStore } from '../src/delivery/lease.store.js'
import { migrations } from '../src/migrations/migrations.js'
import type { Sender } from '../src/sending/sender.js'
import { FakeReceivers } from './fake-receiver.js'
import { complete, type EventFacts, reservationEvent } from './reservation-event.js'

const log = createLogger('test', 'silent')
const vault = new SecretVault(
  new ConfiguredKeyProvider({ KEY_ENCRYPTION_KEYS: new Map([['k1', Buffer.alloc(32, 1)]]) }),
)
const secrets = new CallbackSecrets(vault)

/** Settings of a callback in a test. */
export interface CallbackGiven {
  url?: string
  events?: string[]
  payload?: 'full' | 'thin'
  state?: 'active' | 'suspended' | 'suspended_by_operator'
}

/** Creates an event dispatch database, with helpers that write to it. */
export async function dispatchDatabase() {
  const { url, drop }: TestDatabase = await createDatabase()
  await migrate({ url, applicationName: 'test', migrations })
  const database = new Database({ url, applicationName: 'test', migrations, settings: NO_SCANS })
  const events = new EventStore()
  // Acts as another process: commits here wake the dispatchers elsewhere.
  const signals = new DeliverySignals(database, log)
  signals.onApplicationBootstrap()
  const sequences = new Map<string, number>()
  const number = (facts: EventFacts): Required<EventFacts> => {
    const connectionId = facts.connectionId ?? 'con_1'
    const sequence = facts.sequence ?? (sequences.get(connectionId) ?? 0) + 1
    sequences.set(connectionId, sequence)
    return complete({ ...facts, connectionId, sequence })
  }
  const parsed = (given: readonly EventFacts[]) =>
    given.map(number).map((facts) => ({
      ...parseReservationEvent(Buffer.from(reservationEvent(facts))),
      traceparent: facts.traceparent,
    }))
  return {
    url,
    database,
    /** Records events as one batch; the next sequence of their connection unless one is given. */
    async record(...given: EventFacts[]): Promise<void> {
      await database.transaction((tx) => events.record(tx, parsed(given)))
    },
    /** Records an event in a transaction that commits once `work`, begun after the writes, waits for its locks. */
    async recordBeside(given: EventFacts, work: () => Promise<unknown>): Promise<void> {
      const done = await database.transaction(async (tx) => {
        await events.record(tx, parsed([given]))
        await tx.flush()
        return startUntilLocked(database, work)
      })
      await done()
    },
    async connect(...given: Partial<Connection>[]): Promise<void> {
      await database.transaction((tx) => new ConnectionStore().save(tx, latestConnections(given.map(connection))))
    },
    async configure(connectionId: string, { url, events, payload, state }: CallbackGiven = {}): Promise<void> {
      await database.query(
        `INSERT INTO callback (connection_id, url, events, payload, state, secret) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (connection_id) DO UPDATE SET url = excluded.url, events = excluded.events, payload = excluded.payload,
           state = excluded.state, revision = callback.revision + 1`,
        [
          connectionId,
          url ?? 'http://127.0.0.1:9/',
          events ?? reservationEventTypes,
          payload ?? 'full',
          state ?? 'active',
          await secrets.seal(connectionId, randomBytes(32)),
        ],
      )
    },
    async rows<T>(text: string, values: unknown[] = []): Promise<T[]> {
      return (await database.query(text, values)).rows as T[]
    },
    async end(): Promise<void> {
      await signals.onModuleDestroy()
      await database.close()
      await drop()
    },
  }
}

export type DispatchDatabase = Awaited<ReturnType<typeof dispatchDatabase>>

/** Starts the service that changes backlogs in pieces, as in a process. */
export function backlogChangesOver(database: Database): BacklogChanges {
  const changes = new BacklogChanges(
    database,
    new BacklogChangeStore(),
    new WaitingDeliveriesStore(),
    new ReplayStore(),
    log,
  )
  changes.onApplicationBootstrap()
  return changes
}

/** Starts one dispatcher over a database, as in a process. */
export function dispatcherOver(url: string, sender: Sender, instance: string) {
  const database = new Database({ url, applicationName: instance, migrations, settings: NO_SCANS })
  const name = { instance, hold: async () => true } as unknown as InstanceName
  const leases = new LeaseKeeper(new LeaseStore(database), name, log)
  const lanes = new LaneStore(database)
  const targets = new DeliveryTargetStore(database, secrets, log)
  const attempts = new Attempts(lanes, sender, log)
  const results = new DeliveryResults(new DeliveryResultStore(database), log)
  const signals = new DeliverySignals(database, log)
  const dispatcher = new Dispatcher(leases, lanes, targets, attempts, results, signals, log)
  signals.onApplicationBootstrap()
  dispatcher.onApplicationBootstrap()
  return {
    leases,
    database,
    async stop(): Promise<void> {
      await dispatcher.onModuleDestroy()
      await signals.onModuleDestroy()
      await database.close()
    },
  }
}

/** Starts one dispatcher over a database of its own, and the receivers that it sends to. */
export async function startDispatching() {
  const db = await dispatchDatabase()
  const receivers = new FakeReceivers()
  const dispatcher = dispatcherOver(db.url, receivers, 'dispatch-1')
  const stop = async (): Promise<void> => {
    const stopped = dispatcher.stop()
    receivers.release()
    await stopped
    await db.end()
  }
  return { db, receivers, dispatcher, stop }
}

export type Dispatching = Awaited<ReturnType<typeof startDispatching>>

/** The first events of a connection's index, oldest first. */
export async function allEvents({ database }: Pick<DispatchDatabase, 'database'>, connectionId: string) {
  const store = new EventIndexStore(database)
  const range = { filter: 'all', state: null, order: 'asc', after: 0, before: null } as const
  return store.entries(connectionId, range, await store.head(connectionId), 100)
}

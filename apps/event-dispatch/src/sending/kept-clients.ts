import { BackgroundLoop } from '@connectivity/service-kit/work'
import { Client } from 'undici'
import { AnswerFilter, ANSWER_LIMITS, readThrough } from './answer-filter.js'
import type { CallbackTarget } from './callback-target.js'
import { connectVetted, type VettedAddresses } from './vetted-connector.js'

/** Idle time after which connections are closed, ms; a little before the receiver would close them if it says when. */
const KEEP_ALIVE = 4_000
const KEEP_ALIVE_MAX = 60_000
/** Longest use of a connection, so that a host that moves is followed, ms. */
const MAX_AGE = 120_000
const SWEEP_EVERY = 15_000
/** Most idle clients of all hosts together; beyond them those unused longest are closed. */
const MOST_KEPT = 1_000

interface KeptClient {
  client: Client
  /** The current connection: filter of its answers, bytes that have arrived; empty until it is open. */
  connection: { answers?: AnswerFilter; received?: () => number }
  /** On the clock of `performance.now()`. */
  openedAt: number
  usedAt: number
}

/**
 * Keeps connections alive. Each request has a client, that is a connection, to itself, so that no request waits for
 * another; the caller limits the number of requests at once. (undici's Pool would do, but opens a new connection for
 * every aborted request.)
 */
export class KeptClients {
  /** By origin and address rule. The host unused longest comes first; within a host the client last used comes last. */
  private readonly kept = new Map<string, KeptClient[]>()
  private count = 0
  private readonly sweeper = BackgroundLoop.every(SWEEP_EVERY, async () => this.sweep())

  constructor(private readonly vetted: VettedAddresses) {
    this.sweeper.start(SWEEP_EVERY)
  }

  /** Number of idle clients. */
  get size(): number {
    return this.count
  }

  /** Takes a client for one request; the caller gives it back or destroys it afterwards. */
  take(target: CallbackTarget): KeptClient {
    const clients = this.kept.get(keyOf(target)) ?? []
    const newest = clients.pop()
    if (!newest) return this.open(target)
    newest.connection.answers?.begin()
    this.count -= 1
    if (clients.length === 0) this.kept.delete(keyOf(target))
    return newest
  }

  /** Keeps a client whose request is over, even if the receiver has closed the connection in the meantime. */
  giveBack(target: CallbackTarget, taken: KeptClient): void {
    const key = keyOf(target)
    const clients = this.kept.get(key) ?? []
    clients.push({ ...taken, usedAt: performance.now() })
    this.kept.delete(key)
    this.kept.set(key, clients)
    this.count += 1
    if (this.count > MOST_KEPT) this.dropOldest()
  }

  /** Closes every idle connection; those in use are destroyed after their requests. */
  close(): void {
    void this.sweeper.stop()
    while (this.count > 0) this.dropOldest()
  }

  private open(target: CallbackTarget): KeptClient {
    const connection: KeptClient['connection'] = {}
    const client = new Client(target.origin, {
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX,
      // The sender keeps its own deadlines.
      headersTimeout: 0,
      bodyTimeout: 0,
      // The filter sets the limit; undici creates an error for each further header once its own limit is exceeded.
      maxHeaderSize: 2 * ANSWER_LIMITS.headBytes,
      connect: (_options, done) => {
        connectVetted(target, this.vetted).then(
          ({ socket, received }) => {
            connection.received = received
            connection.answers = new AnswerFilter()
            readThrough(connection.answers, socket)
            done(null, socket)
          },
          (error: Error) => done(error, null),
        )
      },
    })
    return { client, connection, openedAt: performance.now(), usedAt: 0 }
  }

  /** Drops clients that are too old, or unused for so long that their connection must be closed. */
  private sweep(): void {
    const now = performance.now()
    const isGood = ({ openedAt, usedAt }: KeptClient) => openedAt > now - MAX_AGE && usedAt > now - KEEP_ALIVE_MAX
    for (const [key, clients] of this.kept) {
      const { good = [], old = [] } = Object.groupBy(clients, (one) => (isGood(one) ? 'good' : 'old'))
      for (const { client } of old) drop(client)
      this.count -= old.length
      if (good.length === 0) this.kept.delete(key)
      else this.kept.set(key, good)
    }
  }

  private dropOldest(): void {
    const [key, clients] = this.kept.entries().next().value!
    drop(clients.shift()!.client)
    this.count -= 1
    if (clients.length === 0) this.kept.delete(key)
  }
}

/** Connecting checks which addresses are allowed, so targets for opened addresses only have separate connections. */
const keyOf = ({ origin, openedOnly }: CallbackTarget): string => `${origin} ${openedOnly}`

const drop = (client: Client): void => void client.destroy().catch(() => undefined)

import { Client } from 'undici'
import { AnswerFilter, ANSWER_LIMITS, readThrough } from './answer-filter.js'
import type { CallbackTarget } from './callback-target.js'
import { connectVetted, type VettedAddresses } from './vetted-connector.js'

/** Idle connections are closed after this, or a little before the receiver would do it where it says when, ms. */
const KEEP_ALIVE = 4_000
const KEEP_ALIVE_MAX = 60_000
/** No connection is used longer, so that a host that moves is followed, ms. */
const MAX_AGE = 120_000
const SWEEP_EVERY = 15_000
/** Clients kept for later, of all hosts together; of more the longest unused go. */
const MOST_KEPT = 1_000

interface KeptClient {
  client: Client
  /** What its present connection reads through; none before it is open. */
  connection: { answers?: AnswerFilter }
  /** As of `performance.now()`. */
  openedAt: number
  usedAt: number
}

/**
 * Connections kept alive. Each request has a client, which is a connection, to itself, so that nobody waits for
 * somebody else's; how many there are at once is limited where requests come from. (undici's Pool would do, but opens
 * a connection anew for every request that it was told to abort.)
 */
export class KeptClients {
  /** By what they are connected to, the longest unused host first and of each host its client last used last. */
  private readonly kept = new Map<string, KeptClient[]>()
  private count = 0
  private readonly sweeper = setInterval(() => this.sweep(), SWEEP_EVERY).unref()

  constructor(private readonly vetted: VettedAddresses) {}

  /** How many are kept for later. */
  get size(): number {
    return this.count
  }

  /** A client for one request; afterwards it is given back or destroyed. */
  take(target: CallbackTarget): KeptClient {
    const clients = this.kept.get(keyOf(target)) ?? []
    const newest = clients.pop()
    if (!newest) return this.open(target)
    newest.connection.answers?.begin()
    this.count -= 1
    if (clients.length === 0) this.kept.delete(keyOf(target))
    return newest
  }

  /** Keeps a client whose request is over; whether its receiver has closed the connection meanwhile does not matter. */
  giveBack(target: CallbackTarget, taken: KeptClient): void {
    const key = keyOf(target)
    const clients = this.kept.get(key) ?? []
    clients.push({ ...taken, usedAt: performance.now() })
    this.kept.delete(key)
    this.kept.set(key, clients)
    this.count += 1
    if (this.count > MOST_KEPT) this.dropOldest()
  }

  /** Ends every connection that is kept; those in use end with their requests. */
  close(): void {
    clearInterval(this.sweeper)
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
      // The filter has the limit; undici makes an error for each further header once its own is passed.
      maxHeaderSize: 2 * ANSWER_LIMITS.headBytes,
      connect: (_options, done) => {
        connectVetted(target, this.vetted).then(
          (socket) => {
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

  /** Drops what is too old or has been unused for so long that no connection can be open any more. */
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

/** What a name may lead to is judged when connecting, so both judgements have connections of their own. */
const keyOf = ({ origin, openedOnly }: CallbackTarget): string => `${origin} ${openedOnly}`

const drop = (client: Client): void => void client.destroy().catch(() => undefined)

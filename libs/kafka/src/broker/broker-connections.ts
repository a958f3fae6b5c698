import type { Socket } from 'node:net'
import { settled } from '@connectivity/service-kit/work'
import kafkajs, { type Kafka } from 'kafkajs'

/** Node finds no such named export in a CommonJS package. */
const { KafkaJSNonRetriableError } = kafkajs

/** Limits of a stop, ms: first for a connected broker, then for work that still runs in this process. */
const PATIENCE = 3_000
const TAIL = 1_200

interface Connection {
  socketFactory: (destination: object) => Socket
}

interface ConnectionPool {
  pool: Connection[]
  getConnection: (index?: number) => Promise<Connection>
}

/** Internal object of kafkajs 2.2.4, one for each producer, consumer and admin. */
export interface Cluster {
  connectionPoolBuilder: { build: (destination?: object) => Promise<ConnectionPool> }
}

type CreateCluster = (options: object) => Cluster
type Creator = Kafka & Record<symbol, CreateCluster>

/** @returns the key under which kafkajs stores its factory of clusters */
export function createClusterKey(kafka: Kafka): symbol {
  for (let at: object | null = kafka; at; at = Object.getPrototypeOf(at) as object | null) {
    const found = Object.getOwnPropertySymbols(at).find((key) => key.description === 'private:Kafka:createCluster')
    if (found) return found
  }
  throw new TypeError('not a client of kafkajs 2')
}

/**
 * The sockets of one Kafka client: of every producer, consumer and admin made after this. kafkajs keeps retrying while
 * a broker is unavailable, even after `disconnect`, and may connect again; `close` ends all of that.
 */
export class BrokerConnections {
  private readonly sockets = new Set<Socket>()
  private isCut = false
  /** Clients made after this have connections of their own. */
  readonly detach: () => void

  constructor(kafka: Kafka) {
    const key = createClusterKey(kafka)
    const creator = kafka as Creator
    const create = creator[key]!
    creator[key] = (options) => this.follow(create.call(kafka, options))
    this.detach = () => void (creator[key] = create)
  }

  /**
   * Leaves the brokers in an orderly way while one is connected, for 3 s at most, and then cuts the connections:
   * further attempts of kafkajs fail and are not retried.
   * @param leave may reject; resolves once nothing of the client is running
   */
  async close(leave: () => Promise<unknown>): Promise<void> {
    const left = leave()
    if (this.isConnected) await settled(left, PATIENCE)
    await this.cut()
    await settled(left, TAIL)
  }

  /** Ends every connection, and every attempt to make one. */
  async cut(): Promise<void> {
    this.isCut = true
    const closed = [...this.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of this.sockets) {
      // No error for a socket that kafkajs has already ended: it waits for nothing more on it.
      socket.destroy(socket.writableEnded ? undefined : stopped())
    }
    await Promise.all(closed)
  }

  private get isConnected(): boolean {
    return [...this.sockets].some(({ connecting, writableEnded }) => !connecting && !writableEnded)
  }

  private follow(cluster: Cluster): Cluster {
    const builder = cluster.connectionPoolBuilder
    const build = builder.build
    builder.build = async (destination) => this.followPool(await build(destination))
    return cluster
  }

  private followPool(pool: ConnectionPool): ConnectionPool {
    for (const connection of pool.pool) {
      const open = connection.socketFactory
      connection.socketFactory = (destination) => this.followSocket(open(destination))
    }
    const connect = pool.getConnection.bind(pool)
    pool.getConnection = async (index) => {
      if (this.isCut) throw stopped()
      return connect(index)
    }
    return pool
  }

  private followSocket(socket: Socket): Socket {
    this.sockets.add(socket)
    return socket.once('close', () => this.sockets.delete(socket))
  }
}

const stopped = (): Error => new KafkaJSNonRetriableError('the connection to the brokers has been closed')

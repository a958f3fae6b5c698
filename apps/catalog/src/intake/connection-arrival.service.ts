import { Injectable } from '@nestjs/common'
import { ConnectionStore } from '@connectivity/connections'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database } from '@connectivity/database'
import { poll } from '@connectivity/service-kit/work'

const LONGEST_WAIT = 2_000
const INTERVAL = 50

/** 503: the gateway knows the connection, the catalog does not yet. */
export const notArrived = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'This property connection was just created and is not ready yet; try again in a moment.',
    { retryAfterSeconds: 1 },
  )

/** Waits for connections that the gateway already knows and that reach the catalog over Kafka a moment later. */
@Injectable()
export class ConnectionArrival {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionStore,
  ) {}

  /**
   * Waits until the connection has arrived, at most 2 s.
   * @throws ServiceError 503
   */
  async of(connectionId: string): Promise<void> {
    const look = async () => (await this.connections.find(this.database, [connectionId])).get(connectionId) ?? null
    if (!(await poll(look, { within: LONGEST_WAIT, every: INTERVAL }))) throw notArrived()
  }
}

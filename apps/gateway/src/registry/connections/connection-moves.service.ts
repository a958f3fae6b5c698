import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { Transaction } from '@connectivity/database'
import { notFound } from '@connectivity/service-kit/operators'
import { allowedTargets, move, type Move } from './connection.js'
import type { ConnectionEntity } from './connection.entity.js'
import { connectionExists } from './connection-exists.js'
import { ConnectionPublisher } from './connection.publisher.js'
import { ConnectionStore } from './connection.store.js'

/** Locks and moves connections within the transaction of a use case. */
@Injectable()
export class ConnectionMoves {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly publisher: ConnectionPublisher,
  ) {}

  /**
   * The connection, locked until the transaction ends.
   * @throws ServiceError 404
   */
  async lock(tx: Transaction, id: string): Promise<ConnectionEntity> {
    const connection = await this.connections.lock(tx, id)
    if (!connection) throw notFound('connection')
    return connection
  }

  /**
   * Moves a locked connection and publishes it.
   * @throws ServiceError 409 `invalid_transition` or `connection_exists`
   */
  async moveLocked(
    tx: Transaction,
    connection: ConnectionEntity,
    to: Move,
    publicReason: string | null = null,
  ): Promise<void> {
    const standing = move(connection, to, publicReason, new Date())
    if (!standing) throw invalidTransition(connection, to)
    Object.assign(connection, standing, { version: connection.version + 1 })
    if (!(await this.connections.save(tx, connection))) throw connectionExists()
    this.publisher.publish(tx, connection)
  }
}

function invalidTransition(connection: ConnectionEntity, to: Move): ServiceError {
  const target = to === 'back_to_pilot' ? 'back to pilot' : `to ${to}`
  const allowed = allowedTargets(connection).join(', ')
  const next = allowed === '' ? 'This state is final.' : `It can be moved to: ${allowed}.`
  return new ServiceError(
    'invalid_transition',
    `The connection is ${connection.state} and cannot move ${target}. ${next}`,
  )
}

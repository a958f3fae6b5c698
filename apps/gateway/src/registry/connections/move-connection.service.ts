import { Injectable } from '@nestjs/common'
import type { MoveConnection } from '@connectivity/contracts/operators-api'
import type { Change } from '../changes/operator-changes.service.js'
import type { ConnectionEntity } from './connection.entity.js'
import { ConnectionMoves } from './connection-moves.service.js'
import { connectionFields } from './connection.view.js'

/** Moves connections between their states, as operators ask. */
@Injectable()
export class MoveConnectionService {
  constructor(private readonly moves: ConnectionMoves) {}

  /** @throws ServiceError 404, 409 `invalid_transition` or `connection_exists` */
  async move({ tx, record }: Change, id: string, { to, public_reason }: MoveConnection): Promise<ConnectionEntity> {
    const connection = await this.moves.lock(tx, id)
    const before = connectionFields(connection)
    await this.moves.moveLocked(tx, connection, to, public_reason)
    record({ subject: id, before, after: connectionFields(connection) })
    return connection
  }
}

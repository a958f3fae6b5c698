import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { CreateConnection, MoveConnection } from '@connectivity/contracts/operators-api'
import { Database, type Transaction } from '@connectivity/database/database'
import type { PageRequest } from '@connectivity/service-kit/operators-page'
import { isId, notFound } from '@connectivity/service-kit/operators-record'
import { type EntityManager, type FindOptionsWhere, MoreThan, QueryFailedError } from 'typeorm'
import { ApplicationEntity } from '../applications/application.entity.js'
import { AuditStore } from '../audit/audit.store.js'
import { announceChange } from '../../live/changes.js'
import type { AuditContext } from '../changes/audit-context.js'
import { newId } from '../../new-id.js'
import { KnownPropertyStore } from './known-property.store.js'
import { move, type Move } from './connection.js'
import { ConnectionEntity, connectionMessage } from './connection.entity.js'
import { publishConnection } from './connection.publisher.js'
import { connectionFields, type ReviewedConnection, reviewed } from './connection.view.js'

/** Connections, changed by operators; every change is published to the other services in the same transaction. */
@Injectable()
export class ConnectionStore {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditStore,
    private readonly known: KnownPropertyStore,
  ) {}

  /** @throws ServiceError 404 for an unknown application, 409 `connection_exists` */
  create(context: AuditContext, body: CreateConnection): Promise<ReviewedConnection> {
    return this.audit.change(context, async (entities, tx) => {
      const applicationId = body.application_id
      if (!(await entities.existsBy(ApplicationEntity, { applicationId }))) throw notFound('application')
      const connection = entities.create(ConnectionEntity, {
        connectionId: newId('con'),
        applicationId,
        sourcePropertyId: body.source_property_id,
        externalPropertyId: body.external_property_id,
        environment: body.environment,
        state: 'provisioning',
        stateBeforeDisabled: null,
        publicReason: null,
        disabledAt: null,
        createdAt: new Date(),
        version: 1,
      })
      await store(entities, tx, connection)
      const after = connectionFields(connection)
      return { result: await this.review(tx, connection), subject: connection.connectionId, before: null, after }
    })
  }

  /** @throws ServiceError 404, 409 `invalid_transition` or `connection_exists` */
  transition(context: AuditContext, id: string, { to, public_reason }: MoveConnection): Promise<ReviewedConnection> {
    return this.audit.change(context, async (entities, tx) => {
      const connection = await lockConnection(entities, id)
      const before = connectionFields(connection)
      await moveConnection(entities, tx, connection, to, public_reason)
      const result = await this.review(tx, connection)
      return { result, subject: id, before, after: connectionFields(connection) }
    })
  }

  /** @throws ServiceError 404 */
  async find(id: string): Promise<ReviewedConnection> {
    const { manager } = await this.database.dataSource()
    const connection = found(isId(id) ? await manager.findOneBy(ConnectionEntity, { connectionId: id }) : null)
    return this.review(this.database.reads, connection)
  }

  /** Oldest first, one more than the page's limit. */
  async list(filter: FindOptionsWhere<ConnectionEntity>, { limit, after }: PageRequest): Promise<ReviewedConnection[]> {
    const { manager } = await this.database.dataSource()
    const where = { ...filter, ...(after === null ? {} : { connectionId: MoreThan(after) }) }
    const connections = await manager.find(ConnectionEntity, { where, order: { connectionId: 'ASC' }, take: limit + 1 })
    const ids = connections.map(({ sourcePropertyId }) => sourcePropertyId)
    const known = await this.known.among(this.database.reads, ids)
    return connections.map((connection) => reviewed(connection, known))
  }

  private async review(
    reader: Database['reads'] | Transaction,
    connection: ConnectionEntity,
  ): Promise<ReviewedConnection> {
    return reviewed(connection, await this.known.among(reader, [connection.sourcePropertyId]))
  }
}

/**
 * Moves a locked connection and publishes the change.
 * @throws ServiceError 409 `invalid_transition` or `connection_exists`
 */
export async function moveConnection(
  entities: EntityManager,
  tx: Transaction,
  connection: ConnectionEntity,
  to: Move,
  publicReason: string | null = null,
): Promise<void> {
  const standing = move(connection, to, publicReason, new Date())
  if (!standing) {
    throw new ServiceError(
      'invalid_transition',
      `The connection is ${connection.state}; it cannot be moved ${to === 'back_to_pilot' ? 'back to pilot' : `to ${to}`}.`,
    )
  }
  Object.assign(connection, standing, { version: connection.version + 1 })
  await store(entities, tx, connection)
}

async function store(entities: EntityManager, tx: Transaction, connection: ConnectionEntity): Promise<void> {
  try {
    await entities.save(connection)
  } catch (error) {
    throw isDuplicate(error) ? connectionExists() : error
  }
  publishConnection(tx, connectionMessage(connection))
  await announceChange(tx, 'connection', connection.connectionId)
}

const isDuplicate = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { constraint?: string }).constraint === 'connection_unique'

const connectionExists = (): ServiceError =>
  new ServiceError(
    'connection_exists',
    'The application already has a connection to this property in this environment; use it, or close it first.',
  )

const found = (connection: ConnectionEntity | null): ConnectionEntity => {
  if (!connection) throw notFound('connection')
  return connection
}

/**
 * The connection, locked until the transaction ends.
 * @throws ServiceError 404
 */
export async function lockConnection(entities: EntityManager, id: string): Promise<ConnectionEntity> {
  if (!isId(id)) throw notFound('connection')
  const where = { connectionId: id }
  return found(await entities.findOne(ConnectionEntity, { where, lock: { mode: 'pessimistic_write' } }))
}

import { Injectable } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database'
import type { PageRequest } from '@connectivity/service-kit/operators'
import { isId } from '@connectivity/service-kit/text'
import { And, type FindOptionsWhere, LessThan, QueryFailedError, Raw } from 'typeorm'
import { announceChange } from '../../live/changes.service.js'
import { lockedRow } from '../locked-row.store.js'
import { ConnectionEntity } from './connection.entity.js'

/** Filter for connections; absent fields do not restrict the list. */
export interface ConnectionFilter extends Pick<
  FindOptionsWhere<ConnectionEntity>,
  'applicationId' | 'sourcePropertyId' | 'state'
> {
  /** The partner's code of the property as it is now: a mapping may have replaced the agreed one. */
  externalPropertyId?: string
  /** Key or client id of a credential that was issued for the connection. */
  keyId?: string
}

/** Connections; a service that saves one publishes it in the same transaction. */
@Injectable()
export class ConnectionStore {
  constructor(private readonly database: Database) {}

  /** @param on the transaction that needs it, if any */
  async find(id: string, on: Pick<Transaction, 'entities'> = this.database): Promise<ConnectionEntity | null> {
    if (!isId(id)) return null
    return (await on.entities()).findOneBy(ConnectionEntity, { connectionId: id })
  }

  /** Newest first, one more than the page's limit. */
  async list(
    { externalPropertyId, keyId, ...filter }: ConnectionFilter,
    { limit, after }: PageRequest,
  ): Promise<ConnectionEntity[]> {
    const entities = await this.database.entities()
    const ids = [
      ...(after === null ? [] : [LessThan(after)]),
      ...(externalPropertyId === undefined ? [] : [Raw(hasExternalId, { externalPropertyId })]),
      ...(keyId === undefined ? [] : [Raw(hasKey, { keyId })]),
    ]
    const where = { ...filter, ...(ids.length === 0 ? {} : { connectionId: And(...ids) }) }
    return entities.find(ConnectionEntity, { where, order: { connectionId: 'DESC' }, take: limit + 1 })
  }

  /** The connection, locked until the transaction ends. */
  lock(tx: Transaction, id: string): Promise<ConnectionEntity | null> {
    return lockedRow(tx, ConnectionEntity, id, { connectionId: id })
  }

  /**
   * Writes a new or locked connection.
   * @returns false when the application has another connection to the property in the environment
   */
  async save(tx: Transaction, connection: ConnectionEntity): Promise<boolean> {
    try {
      await (await tx.entities()).save(ConnectionEntity, connection)
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
    announceChange(tx, 'connection', connection.connectionId)
    return true
  }
}

const hasExternalId = (id: string): string =>
  `${id} IN (SELECT c.connection_id FROM connection c LEFT JOIN property p USING (connection_id)
              WHERE coalesce(p.external_property_id, c.external_property_id) = :externalPropertyId)`

const hasKey = (id: string): string => `${id} IN (SELECT k.connection_id FROM credential k WHERE k.key_id = :keyId)`

const isDuplicate = (error: unknown): boolean =>
  error instanceof QueryFailedError && (error.driverError as { constraint?: string }).constraint === 'connection_unique'

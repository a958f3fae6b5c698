import { Injectable } from '@nestjs/common'
import type { CreateConnection } from '@connectivity/contracts/operators-api'
import { notFound } from '@connectivity/service-kit/operators'
import { newId } from '@connectivity/service-kit/text'
import { ApplicationStore } from '../applications/application.store.js'
import type { Change } from '../changes/operator-changes.service.js'
import type { ConnectionEntity } from './connection.entity.js'
import { ConnectionPublisher } from './connection.publisher.js'
import { ConnectionStore } from './connection.store.js'
import { connectionFields } from './connection.view.js'
import { connectionExists } from './connection-exists.js'

/** Assigns a property to an application. */
@Injectable()
export class CreateConnectionService {
  constructor(
    private readonly applications: ApplicationStore,
    private readonly connections: ConnectionStore,
    private readonly publisher: ConnectionPublisher,
  ) {}

  /** @throws ServiceError 404 for an unknown application, 409 `connection_exists` */
  async create({ tx, record }: Change, body: CreateConnection): Promise<ConnectionEntity> {
    if (!(await this.applications.find(body.application_id, tx))) throw notFound('application')
    const connection: ConnectionEntity = {
      connectionId: newId('con'),
      applicationId: body.application_id,
      sourcePropertyId: body.source_property_id,
      externalPropertyId: body.external_property_id,
      environment: body.environment,
      state: 'provisioning',
      stateBeforeDisabled: null,
      publicReason: null,
      disabledAt: null,
      createdAt: new Date(),
      version: 1,
    }
    if (!(await this.connections.save(tx, connection))) throw connectionExists()
    this.publisher.publish(tx, connection)
    record({ subject: connection.connectionId, before: null, after: connectionFields(connection) })
    return connection
  }
}

import { Module } from '@nestjs/common'
import { IdempotencyRetention } from '@connectivity/database/idempotency-retention'
import { LiveModule } from '../live/live.module.js'
import { ApplicationEntity } from './applications/application.entity.js'
import { ApplicationStore } from './applications/application.store.js'
import { ApplicationsController } from './applications/applications.controller.js'
import { AuditArrivals } from './audit/audit-arrivals.js'
import { AuditEntryEntity } from './audit/audit-entry.entity.js'
import { AuditController } from './audit/audit.controller.js'
import { AuditStore } from './audit/audit.store.js'
import { OperatorChangesConsumer } from './audit/operator-changes.consumer.js'
import { OwnChanges } from './audit/own-changes.js'
import { ConnectionEntity } from './connections/connection.entity.js'
import { ConnectionStore } from './connections/connection.store.js'
import { ConnectionsController } from './connections/connections.controller.js'
import { KnownPropertyStore } from './connections/known-property.store.js'
import { CredentialEntity, CredentialSecretEntity, CredentialUseEntity } from './credentials/credential.entity.js'
import { CredentialStore } from './credentials/credential.store.js'
import { CredentialsController } from './credentials/credentials.controller.js'
import { EvidenceStore } from './production/evidence.store.js'
import { ProductionRequestEntity } from './production/production-request.entity.js'
import { ProductionRequestStore } from './production/production-request.store.js'
import { ProductionRequestsController } from './production/production-requests.controller.js'

/** TypeORM entities of the registry. */
export const registryEntities = [
  ApplicationEntity,
  ConnectionEntity,
  CredentialEntity,
  CredentialSecretEntity,
  CredentialUseEntity,
  AuditEntryEntity,
  ProductionRequestEntity,
]

/** The operators' registry: applications, connections, credentials and production requests, every change audited. */
@Module({
  imports: [LiveModule],
  controllers: [
    ...[ApplicationsController, ConnectionsController, CredentialsController, ProductionRequestsController],
    ...[AuditController, OperatorChangesConsumer],
  ],
  providers: [
    ...[ApplicationStore, ConnectionStore, KnownPropertyStore, CredentialStore],
    ...[ProductionRequestStore, EvidenceStore],
    ...[AuditStore, AuditArrivals, OwnChanges, IdempotencyRetention],
  ],
  exports: [KnownPropertyStore, ProductionRequestStore, EvidenceStore, AuditArrivals],
})
export class RegistryModule {}

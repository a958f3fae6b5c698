import { Module } from '@nestjs/common'
import { purge } from '@connectivity/database'
import { idempotencyRetention } from '@connectivity/mutations'
import { LiveModule } from '../live/live.module.js'
import { ApplicationEntity } from './applications/application.entity.js'
import { ApplicationStore } from './applications/application.store.js'
import { ApplicationsController } from './applications/applications.controller.js'
import { ChangeApplicationService } from './applications/change-application.service.js'
import { CreateApplicationService } from './applications/create-application.service.js'
import { AuditEntries } from './audit/audit-entries.service.js'
import { AuditEntryEntity } from './audit/audit-entry.entity.js'
import { AuditController } from './audit/audit.controller.js'
import { AuditStore } from './audit/audit.store.js'
import { OperatorChangesConsumer } from './audit/operator-changes.consumer.js'
import { OwnChanges } from './audit/own-changes.hook.js'
import { OperatorChanges } from './changes/operator-changes.service.js'
import { ConnectionEntity } from './connections/connection.entity.js'
import { ConnectionPublisher } from './connections/connection.publisher.js'
import { ConnectionStore } from './connections/connection.store.js'
import { ConnectionWarnings } from './connections/connection-warnings.service.js'
import { ConnectionsController } from './connections/connections.controller.js'
import { ConnectionMoves } from './connections/connection-moves.service.js'
import { CreateConnectionService } from './connections/create-connection.service.js'
import { KnownPropertyStore } from './connections/known-property.store.js'
import { MoveConnectionService } from './connections/move-connection.service.js'
import { CredentialEntity, CredentialSecretEntity, CredentialUseEntity } from './credentials/credential.entity.js'
import { CredentialStore } from './credentials/credential.store.js'
import { CredentialSecrets } from './credentials/credential-secrets.service.js'
import { CredentialsController } from './credentials/credentials.controller.js'
import { IssueCredentialService } from './credentials/issue-credential.service.js'
import { RevokeCredentialService } from './credentials/revoke-credential.service.js'
import { RotateCredentialService } from './credentials/rotate-credential.service.js'
import { IssuePortalLinkService } from './portal-links/issue-portal-link.service.js'
import { PortalLinkEntity } from './portal-links/portal-link.entity.js'
import { PortalLinkStore } from './portal-links/portal-link.store.js'
import { PortalLinksController } from './portal-links/portal-links.controller.js'
import { RevokePortalLinkService } from './portal-links/revoke-portal-link.service.js'
import { DecideProductionRequestService } from './production/decide-production-request.service.js'
import { EvidenceStore } from './production/evidence.store.js'
import { ProductionRequestEntity } from './production/production-request.entity.js'
import { ProductionRequestStore } from './production/production-request.store.js'
import { ProductionRequestsController } from './production/production-requests.controller.js'
import { RequestProductionService } from './production/request-production.service.js'

/** TypeORM entities of the registry. */
export const registryEntities = [
  ApplicationEntity,
  ConnectionEntity,
  CredentialEntity,
  CredentialSecretEntity,
  CredentialUseEntity,
  AuditEntryEntity,
  ProductionRequestEntity,
  PortalLinkEntity,
]

/** The operators' registry: applications, connections, credentials and production requests, every change audited. */
@Module({
  imports: [LiveModule],
  controllers: [
    ...[ApplicationsController, ConnectionsController, CredentialsController, ProductionRequestsController],
    ...[AuditController, OperatorChangesConsumer, PortalLinksController],
  ],
  providers: [
    ...[ApplicationStore, CreateApplicationService, ChangeApplicationService],
    ...[ConnectionStore, ConnectionPublisher, ConnectionMoves, CreateConnectionService, MoveConnectionService],
    ...[KnownPropertyStore, ConnectionWarnings],
    ...[CredentialStore, CredentialSecrets, IssueCredentialService, RotateCredentialService, RevokeCredentialService],
    ...[PortalLinkStore, IssuePortalLinkService, RevokePortalLinkService],
    ...[ProductionRequestStore, EvidenceStore, RequestProductionService, DecideProductionRequestService],
    ...[OperatorChanges, AuditStore, AuditEntries, OwnChanges, ...idempotencyRetention],
    purge('ended secrets', CredentialStore, (store) => store.purgeSecrets()),
    purge('old portal links', PortalLinkStore, (store) => store.purge()),
  ],
  exports: [KnownPropertyStore, ProductionRequestStore, RequestProductionService, EvidenceStore, AuditEntries],
})
export class RegistryModule {}

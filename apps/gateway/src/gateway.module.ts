import { type DynamicModule, Module } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { databaseAccess } from '@connectivity/database/config'
import { DatabaseModule } from '@connectivity/database/database.module'
import { IdempotencyRetention } from '@connectivity/database/idempotency-retention'
import { kafkaOptions } from '@connectivity/kafka/config'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { BodyPipe } from '@connectivity/service-kit/body.pipe'
import { VaultModule } from '@connectivity/vault/vault.module'
import { Activity } from './activity/activity.js'
import { ActivityStore } from './activity/activity.store.js'
import { ApplicationEntity } from './applications/application.entity.js'
import { ApplicationsController } from './applications/applications.controller.js'
import { ApplicationStore } from './applications/application.store.js'
import { AuditArrivals } from './audit/audit-arrivals.js'
import { AuditController } from './audit/audit.controller.js'
import { AuditEntryEntity } from './audit/audit-entry.entity.js'
import { AuditStore } from './audit/audit.store.js'
import { OperatorChangesConsumer } from './audit/operator-changes.consumer.js'
import { AuthHealthController } from './auth-health/auth-health.controller.js'
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js'
import { ConnectionEntity } from './connections/connection.entity.js'
import { ConnectionStore } from './connections/connection.store.js'
import { ConnectionsController } from './connections/connections.controller.js'
import { LiveConnections } from './connections/live-connections.js'
import { CredentialEntity, CredentialSecretEntity, CredentialUseEntity } from './credentials/credential.entity.js'
import { CredentialStore } from './credentials/credential.store.js'
import { CredentialsController } from './credentials/credentials.controller.js'
import { KeyIdTags } from './credentials/key-id-tags.js'
import { LiveCredentials } from './credentials/live-credentials.js'
import { DeadLettersController } from './dead-letters/dead-letters.controller.js'
import { Documentation } from './documentation/documentation.js'
import { DocumentationDoor } from './documentation/documentation-door.js'
import { DocumentationController } from './documentation/documentation.controller.js'
import { Authentication } from './door/authentication.js'
import { BodyBudgets } from './door/body-budgets.js'
import { Callers } from './door/callers.js'
import { Door } from './door/door.js'
import { Doorkeeper } from './door/doorkeeper.js'
import { KnownAddresses } from './door/known-addresses.js'
import { LargeBodyTurns } from './door/large-body-turns.js'
import { RawBodies } from './door/raw-body.js'
import { AnswerMemory } from './forwarding/answer-memory.js'
import { OperatorRoutes } from './forwarding/operator-routes.js'
import { PartnerRoutes } from './forwarding/partner-routes.js'
import { ServiceQuestions } from './forwarding/service-questions.client.js'
import { Upstreams } from './forwarding/upstreams.js'
import { FailedAuthentications } from './limits/failed-authentications.js'
import { RateLimiter } from './limits/rate-limiter.js'
import { RedisBuckets } from './limits/redis-buckets.client.js'
import { RequestLimits } from './limits/request-limits.js'
import { MalformedRecord } from './listeners/malformed-record.js'
import { PrivateListener } from './listeners/private-listener.js'
import { PublicListener } from './listeners/public-listener.js'
import { Changes } from './live-state/changes.js'
import { migrations } from './migrations/migrations.js'
import { AccessTokenStore } from './oauth/access-token.store.js'
import { LiveTokens } from './oauth/live-tokens.js'
import { OAuthClients } from './oauth/oauth-clients.js'
import { TokenController } from './oauth/token.controller.js'
import { OperatorAccess } from './operators/operator-access.js'
import { OperatorMethods } from './operators/operator-methods.js'
import { OwnChanges } from './operators/own-changes.js'
import { FactsClient } from './overview/facts.client.js'
import { OverviewController } from './overview/overview.controller.js'
import { OverviewStore } from './overview/overview.store.js'
import { Evidence } from './production/evidence.js'
import { EvidenceStore } from './production/evidence.store.js'
import { ProductionRequestEntity } from './production/production-request.entity.js'
import { ProductionRequestStore } from './production/production-request.store.js'
import { ProductionRequestsController } from './production/production-requests.controller.js'
import { ProductionController } from './production/production.controller.js'
import { CatalogEventsConsumer } from './properties/catalog-events.consumer.js'
import { KnownPropertyStore } from './properties/known-property.store.js'
import { PropertiesController } from './properties/properties.controller.js'
import { PropertyEventsConsumer } from './properties/property-events.consumer.js'
import { PropertyStore } from './properties/property.store.js'
import { ReservationEventsConsumer } from './properties/reservation-events.consumer.js'
import { ReplayBindings } from './replay/replay-bindings.js'
import { ReplayBindingStore } from './replay/replay-binding.store.js'

const entities = [
  ApplicationEntity,
  ConnectionEntity,
  CredentialEntity,
  CredentialSecretEntity,
  CredentialUseEntity,
  AuditEntryEntity,
  ProductionRequestEntity,
]

/** What the door needs on every request, from memory. */
const liveState = [Changes, KeyIdTags, LiveCredentials, LiveConnections, LiveTokens]
const door = [
  Doorkeeper,
  Door,
  LargeBodyTurns,
  Authentication,
  Callers,
  KnownAddresses,
  BodyBudgets,
  RawBodies,
  OperatorAccess,
  OperatorMethods,
  PrivateListener,
  PublicListener,
  MalformedRecord,
]
const oauth = [TokenController, OAuthClients, AccessTokenStore]
const limits = [RequestLimits, FailedAuthentications, RateLimiter, RedisBuckets]
const replay = [ReplayBindings, ReplayBindingStore]
const forwarding = [
  PartnerRoutes,
  OperatorRoutes,
  ServiceQuestions,
  OwnChanges,
  Upstreams,
  AnswerMemory,
  Activity,
  ActivityStore,
]
const documentation = [Documentation, DocumentationDoor, DocumentationController]
const production = [ProductionController, ProductionRequestStore, Evidence, EvidenceStore]
const stores = [
  ApplicationStore,
  ConnectionStore,
  CredentialStore,
  AuditStore,
  AuditArrivals,
  OverviewStore,
  FactsClient,
  PropertyStore,
  KnownPropertyStore,
  IdempotencyRetention,
]

/** The gateway's table of contents: who comes in, where requests go, what partners and operators can ask it itself. */
@Module({
  controllers: [
    PropertiesController,
    AuthHealthController,
    ApplicationsController,
    ConnectionsController,
    CredentialsController,
    ProductionRequestsController,
    AuditController,
    OverviewController,
    DeadLettersController,
    CatalogEventsConsumer,
    PropertyEventsConsumer,
    ReservationEventsConsumer,
    OperatorChangesConsumer,
  ],
  providers: [
    ...liveState,
    ...door,
    ...oauth,
    ...limits,
    ...replay,
    ...forwarding,
    ...production,
    ...documentation,
    ...stores,
    { provide: APP_PIPE, useClass: BodyPipe },
  ],
})
export class GatewayModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: GatewayModule,
      imports: [
        DatabaseModule.with({ ...databaseAccess(config), applicationName: 'gateway', entities, migrations }),
        KafkaModule.with(kafkaOptions('gateway', config)),
        VaultModule.with(config),
      ],
      providers: [{ provide: GATEWAY_CONFIG, useValue: config }],
    }
  }
}

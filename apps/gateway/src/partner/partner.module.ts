import { Module } from '@nestjs/common'
import { AdmissionModule } from '../admission/admission.module.js'
import { ForwardingModule } from '../forwarding/forwarding.module.js'
import { HttpModule } from '../http/http.module.js'
import { LiveModule } from '../live/live.module.js'
import { RegistryModule } from '../registry/registry.module.js'
import { AuthHealthController } from './auth-health/auth-health.controller.js'
import { Documentation } from './documentation/documentation.service.js'
import { DocumentationAdmission } from './documentation/documentation-admission.service.js'
import { DocumentationRoutes } from './documentation/documentation.routes.js'
import { DocumentationSessions } from './documentation/documentation-sessions.service.js'
import { PortalPages } from './portal/portal-pages.routes.js'
import { Evidence } from './production/evidence.service.js'
import { ProductionRoutes } from './production/production.routes.js'
import { CatalogEventsConsumer } from './properties/catalog-events.consumer.js'
import { FeedFactsClient } from './properties/feed-facts.client.js'
import { PropertiesController } from './properties/properties.controller.js'
import { PropertyEventsConsumer } from './properties/property-events.consumer.js'
import { PropertyStore } from './properties/property.store.js'
import { ReservationEventsConsumer } from './properties/reservation-events.consumer.js'

/**
 * Partners' calls that the gateway answers itself: properties, the health of a credential, production, documentation.
 */
@Module({
  imports: [HttpModule, LiveModule, AdmissionModule, RegistryModule, ForwardingModule],
  controllers: [
    ...[PropertiesController, AuthHealthController],
    ...[CatalogEventsConsumer, PropertyEventsConsumer, ReservationEventsConsumer],
  ],
  providers: [
    ...[PropertyStore, FeedFactsClient, ProductionRoutes, Evidence],
    ...[Documentation, DocumentationAdmission, DocumentationSessions, DocumentationRoutes, PortalPages],
  ],
  exports: [DocumentationAdmission, PortalPages],
})
export class PartnerModule {}

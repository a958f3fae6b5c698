import { Module } from '@nestjs/common'
import { ForwardingModule } from '../forwarding/forwarding.module.js'
import { LiveModule } from '../live/live.module.js'
import { RegistryModule } from '../registry/registry.module.js'
import { ConsoleRoutes } from './console/console.routes.js'
import { DeadLettersController } from './dead-letters/dead-letters.controller.js'
import { OperatorAccess } from './operator-access.service.js'
import { OperatorMethods } from './operator-methods.service.js'
import { OperatorRoutes } from './operator.routes.js'
import { FactsClient } from './overview/facts.client.js'
import { OverviewController } from './overview/overview.controller.js'
import { OverviewStore } from './overview/overview.store.js'

/** Operators' access, and their calls about other services or all services. */
@Module({
  imports: [LiveModule, RegistryModule, ForwardingModule],
  controllers: [OverviewController, DeadLettersController],
  providers: [OperatorAccess, OperatorMethods, OperatorRoutes, OverviewStore, FactsClient, ConsoleRoutes],
  exports: [OperatorAccess],
})
export class OperatorsModule {}

import { type DynamicModule, Module } from '@nestjs/common'
import { APP_PIPE } from '@nestjs/core'
import { databaseAccess, DatabaseModule } from '@connectivity/database'
import { kafkaOptions } from '@connectivity/kafka/broker'
import { KafkaModule } from '@connectivity/kafka/kafka.module'
import { BodyPipe } from '@connectivity/service-kit/http'
import { VaultModule } from '@connectivity/vault'
import { AdmissionModule } from './admission/admission.module.js'
import { AuthenticateHook } from './authenticate.hook.js'
import { GATEWAY_CONFIG, type GatewayConfig } from './config.js'
import { ForwardingModule } from './forwarding/forwarding.module.js'
import { HttpModule } from './http/http.module.js'
import { LiveModule } from './live/live.module.js'
import { migrations } from './migrations/migrations.js'
import { OperatorsModule } from './operators/operators.module.js'
import { PartnerModule } from './partner/partner.module.js'
import { RequestLogModule } from './request-log/request-log.module.js'
import { registryEntities as entities, RegistryModule } from './registry/registry.module.js'
import { TimelineModule } from './timeline/timeline.module.js'

/** Pause, ms, before the time of a connection's latest change is read again. */
const PAUSES_AT_END = { 'connectivity.reservation-events.v1': 500 }

/** Foundation of all modules: configuration, database, Kafka and the vault. */
@Module({})
class PlatformModule {
  static with(config: GatewayConfig): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      imports: [
        DatabaseModule.with({ ...databaseAccess(config), applicationName: 'gateway', entities, migrations }),
        KafkaModule.with({ ...kafkaOptions('gateway', config), pausesAtEnd: PAUSES_AT_END }),
        VaultModule.with(config),
      ],
      providers: [{ provide: GATEWAY_CONFIG, useValue: config }],
      exports: [GATEWAY_CONFIG, KafkaModule, VaultModule],
    }
  }
}

/**
 * The gateway's table of contents: a request arrives (http), is admitted from memory (admission, live), and goes to the
 * service that owns it (forwarding) or is answered here (partner); the request log keeps how it ended. Operators manage
 * the registry.
 */
@Module({
  imports: [
    ...[HttpModule, LiveModule, AdmissionModule, ForwardingModule],
    ...[RegistryModule, PartnerModule, OperatorsModule, RequestLogModule, TimelineModule],
  ],
  providers: [AuthenticateHook, { provide: APP_PIPE, useClass: BodyPipe }],
})
export class GatewayModule {
  static with(config: GatewayConfig): DynamicModule {
    return { module: GatewayModule, imports: [PlatformModule.with(config)] }
  }
}

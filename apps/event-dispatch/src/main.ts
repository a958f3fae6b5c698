import { BatchConsumer } from '@connectivity/kafka/consuming'
import { cautionsOf, readConfig } from '@connectivity/service-kit/config'
import { requireIdentity } from '@connectivity/service-kit/identity'
import { startService } from '@connectivity/service-kit/service'
import { EventDispatchModule } from './event-dispatch.module.js'
import { configKeys } from './config.js'

const config = readConfig(configKeys)
await startService({
  name: 'event-dispatch',
  module: EventDispatchModule.with(config),
  config,
  port: config.PORT,
  tlsFiles: config.TLS_FILES,
  cautions: cautionsOf(configKeys, config),
  consumer: BatchConsumer,
  prepare: (app) => requireIdentity(app.getHttpAdapter().getInstance(), 'event-dispatch', config.IDENTITY_KEY),
})

import { BatchConsumer } from '@connectivity/kafka/consuming'
import { cautionsOf, readConfig } from '@connectivity/service-kit/config'
import { requireIdentity } from '@connectivity/service-kit/identity'
import { startService } from '@connectivity/service-kit/service'
import { configKeys } from './config.js'
import { FeedModule } from './feed.module.js'

const config = readConfig(configKeys)
await startService({
  name: 'reservation-feed',
  module: FeedModule.with(config),
  config,
  port: config.PORT,
  tlsFiles: config.TLS_FILES,
  cautions: cautionsOf(configKeys, config),
  consumer: BatchConsumer,
  prepare: (app) => requireIdentity(app.getHttpAdapter().getInstance(), 'reservation-feed', config.IDENTITY_KEY),
})

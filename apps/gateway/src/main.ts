import './heap.js'
import { readConfig } from '@connectivity/service-kit/config'
import { startService } from '@connectivity/service-kit/service'
import { BatchConsumer } from '@connectivity/kafka/consuming'
import { configKeys } from './config.js'
import { gateway } from './gateway.js'

await startService({ ...gateway(readConfig(configKeys)), consumer: BatchConsumer })

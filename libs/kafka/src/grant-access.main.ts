import { readConfig } from '@connectivity/service-kit/config'
import { createLogger } from '@connectivity/service-kit/logging'
import { brokerAccess } from './broker-access.js'
import { brokerKeys } from './config.js'
import { grantAccess } from './grant-access.js'
import { createKafka } from './kafka-client.js'

/** Step for a Kafka without Strimzi: grants every user the access it needs. Users and passwords come from elsewhere. */
const config = readConfig(brokerKeys)
const logger = createLogger('grant-access', 'info')
await grantAccess(createKafka({ ...brokerAccess(config), instance: 'grant-access' }, logger))
logger.info('granted every user access to its topics')

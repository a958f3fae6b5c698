import { readConfig } from '@connectivity/service-kit/config'
import { createLogger } from '@connectivity/service-kit/logging'
import { brokerAccess } from './broker/broker-access.js'
import { brokerKeys } from './broker/config.js'
import { grantAccess } from './topics/grant-access.js'
import { createKafka } from './broker/kafka-client.js'

/** Step for a Kafka without Strimzi: grants every user the access it needs. Users and passwords come from elsewhere. */
const config = readConfig(brokerKeys)
const logger = createLogger('grant-access', 'info')
await grantAccess(createKafka({ ...brokerAccess(config), instance: 'grant-access' }, logger))
logger.info('granted every user access to its topics')

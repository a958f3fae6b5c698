import { readConfig } from '@connectivity/service-kit/config'
import { createLogger } from '@connectivity/service-kit/logging'
import { brokerAccess } from './broker/broker-access.js'
import { topicKeys } from './broker/config.js'
import { createTopics } from './topics/create-topics.js'
import { createKafka } from './broker/kafka-client.js'

/** Deploy step: creates the topics that are missing, then ends. */
const config = readConfig(topicKeys)
const logger = createLogger('create-topics', 'info')
const kafka = createKafka({ ...brokerAccess(config), instance: 'create-topics' }, logger)
const created = await createTopics(kafka, config.KAFKA_PARTITIONS, config.KAFKA_REPLICATION)
logger.info({ created }, 'all topics exist')

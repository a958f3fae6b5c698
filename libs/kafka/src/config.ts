import { as, type ConfigKeys } from '@connectivity/service-kit/config'

/** Configuration keys of everything that speaks to Kafka. */
export const brokerKeys = {
  KAFKA_BROKERS: { about: 'Kafka bootstrap addresses, host:port, comma separated.', read: as.list },
} satisfies ConfigKeys

/** Configuration keys of a service that consumes or publishes. */
export const kafkaKeys = {
  ...brokerKeys,
  INSTANCE_NAME: {
    about:
      'Name of this instance that survives its restarts (pod name), so that it can take over from its crashed predecessor.',
    read: as.text,
  },
  KAFKA_GROUP_SUFFIX: {
    about: "Appended to the service's consumer group, where several systems share a broker; never changes afterwards.",
    read: as.text,
    fallback: '',
  },
} satisfies ConfigKeys

/** Configuration keys of the deploy step that creates the topics. */
export const topicKeys = {
  ...brokerKeys,
  KAFKA_PARTITIONS: {
    about: 'Partitions of each topic; fixed for the life of a topic.',
    read: as.positiveInteger,
    fallback: '12',
  },
  KAFKA_REPLICATION: { about: 'Replicas of each partition.', read: as.positiveInteger, fallback: '1' },
} satisfies ConfigKeys

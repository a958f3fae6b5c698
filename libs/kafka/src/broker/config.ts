import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { brokerAccess, brokerCautions, brokerFaults, saslMechanisms, securityProtocols } from './broker-access.js'
import type { KafkaOptions } from './kafka-client.js'

/** Configuration keys of the access to brokers. */
export const brokerSecurityKeys = {
  KAFKA_SECURITY_PROTOCOL: {
    about: `Security protocol of the brokers' listener: ${securityProtocols.join(', ')}.`,
    read: as.oneOf(...securityProtocols),
    fallback: 'PLAINTEXT',
    rule: brokerFaults,
    caution: brokerCautions,
  },
  KAFKA_CA: {
    about:
      "Certificates (PEM) of the authorities that sign the brokers' certificates; new connections trust renewed ones. Empty: those that Node.js knows.",
    read: as.authorities,
    fallback: '',
    document: true,
  },
  KAFKA_CLIENT_CERTIFICATE: {
    about: 'Certificate chain (PEM) of this client, for brokers that require one.',
    read: as.pem,
    fallback: '',
    document: true,
  },
  KAFKA_CLIENT_KEY: { about: 'Private key (PEM) of the client certificate.', read: as.pem, fallback: '', secret: true },
  KAFKA_SASL_MECHANISM: {
    about: `Mechanism of the SASL protocols: ${saslMechanisms.join(', ')}.`,
    read: as.oneOf(...saslMechanisms),
    fallback: 'SCRAM-SHA-512',
  },
  KAFKA_SASL_USERNAME: { about: 'User of the SASL protocols.', read: as.anything, fallback: '' },
  KAFKA_SASL_PASSWORD: { about: 'Its password.', read: as.anything, fallback: '', secret: true },
} satisfies ConfigKeys

/** Configuration keys of every process that uses Kafka. */
export const brokerKeys = {
  KAFKA_BROKERS: { about: 'Kafka bootstrap addresses, host:port, comma separated.', read: as.brokers },
  ...brokerSecurityKeys,
} satisfies ConfigKeys

/** Configuration keys of a service that consumes or publishes. */
export const kafkaKeys = {
  ...brokerKeys,
  INSTANCE_NAME: {
    about:
      'Name of this instance, the same after a restart (pod name). A restarted process uses it to take over from its crashed predecessor.',
    read: as.text,
  },
  KAFKA_GROUP_SUFFIX: {
    about: 'Appended to the consumer group when several systems share a broker. Never change it later.',
    read: as.anything,
    fallback: '',
  },
  KAFKA_TOPIC_PREFIX: {
    about: 'Prefix of every topic on the broker, which keeps test suites apart; refused unless NODE_ENV is test.',
    read: as.anything,
    fallback: '',
    rule: ({ NODE_ENV, KAFKA_TOPIC_PREFIX = '' }: { NODE_ENV?: string; KAFKA_TOPIC_PREFIX?: string }) =>
      NODE_ENV !== 'test' && KAFKA_TOPIC_PREFIX !== ''
        ? ['KAFKA_TOPIC_PREFIX keeps test suites apart and must be unset unless NODE_ENV is test']
        : [],
  },
  DEAD_LETTER_DAYS: {
    about: 'Days for which dead letters that were replayed or discarded are kept.',
    read: as.positiveInteger,
    fallback: '90',
  },
  OPEN_DEAD_LETTER_DAYS: {
    about: 'Days for which dead letters are kept that were neither replayed nor discarded.',
    read: as.positiveInteger,
    fallback: '365',
  },
} satisfies ConfigKeys

/** Kafka options of the service with the given name, which is its consumer group's name too. */
export const kafkaOptions = (service: string, config: ConfigOf<typeof kafkaKeys>): KafkaOptions => ({
  ...brokerAccess(config),
  instance: config.INSTANCE_NAME,
  service,
  group: `${service}${config.KAFKA_GROUP_SUFFIX}`,
  topicPrefix: config.KAFKA_TOPIC_PREFIX,
  deadLetterDays: config.DEAD_LETTER_DAYS,
  openDeadLetterDays: config.OPEN_DEAD_LETTER_DAYS,
})

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

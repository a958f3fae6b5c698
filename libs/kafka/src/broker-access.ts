import type { KafkaConfig, SASLOptions } from 'kafkajs'

/** Kafka's names for the ways in which a listener is spoken to. */
export const securityProtocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const
export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

/** What the configuration says about access; texts are empty where nothing was said. */
interface AccessKeys {
  KAFKA_BROKERS: readonly string[]
  KAFKA_SECURITY_PROTOCOL: (typeof securityProtocols)[number]
  KAFKA_CA: string
  KAFKA_CLIENT_CERTIFICATE: string
  KAFKA_CLIENT_KEY: string
  KAFKA_SASL_MECHANISM: (typeof saslMechanisms)[number]
  KAFKA_SASL_USERNAME: string
  KAFKA_SASL_PASSWORD: string
}

/** Where the brokers are, host:port, and how they are spoken to: in plain text if nothing else is said. */
export interface BrokerAccess extends Pick<KafkaConfig, 'ssl' | 'sasl'> {
  brokers: readonly string[]
}

/**
 * Brokers are always asked for a certificate that their authority and their host name vouch for.
 * @throws Error naming what the chosen protocol lacks, or what is given and would not be used
 */
export function brokerAccess(config: AccessKeys): BrokerAccess {
  const protocol = config.KAFKA_SECURITY_PROTOCOL
  const faults = [...tlsFaults(config, protocol.endsWith('SSL')), ...saslFaults(config, protocol.startsWith('SASL'))]
  if (faults.length > 0) throw new Error(`configuration: with KAFKA_SECURITY_PROTOCOL ${protocol} ${faults.join('; ')}`)
  return {
    brokers: config.KAFKA_BROKERS,
    ...(protocol.endsWith('SSL') && { ssl: tlsOf(config) }),
    ...(protocol.startsWith('SASL') && { sasl: saslOf(config) }),
  }
}

function tlsFaults({ KAFKA_CA, KAFKA_CLIENT_CERTIFICATE, KAFKA_CLIENT_KEY }: AccessKeys, isTls: boolean): string[] {
  if (!isTls && `${KAFKA_CA}${KAFKA_CLIENT_CERTIFICATE}${KAFKA_CLIENT_KEY}` !== '')
    return ['there is no use for certificates']
  if ((KAFKA_CLIENT_CERTIFICATE === '') !== (KAFKA_CLIENT_KEY === ''))
    return ['KAFKA_CLIENT_CERTIFICATE and KAFKA_CLIENT_KEY are required together']
  return []
}

function saslFaults({ KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }: AccessKeys, isSasl: boolean): string[] {
  if (!isSasl) return KAFKA_SASL_USERNAME + KAFKA_SASL_PASSWORD === '' ? [] : ['there is no use for a SASL user']
  const isComplete = KAFKA_SASL_USERNAME !== '' && KAFKA_SASL_PASSWORD !== ''
  return isComplete ? [] : ['KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are required']
}

const tlsOf = ({ KAFKA_CA, KAFKA_CLIENT_CERTIFICATE, KAFKA_CLIENT_KEY }: AccessKeys) => ({
  ...(KAFKA_CA !== '' && { ca: KAFKA_CA }),
  ...(KAFKA_CLIENT_KEY !== '' && { cert: KAFKA_CLIENT_CERTIFICATE, key: KAFKA_CLIENT_KEY }),
})

const saslOf = ({ KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }: AccessKeys) =>
  ({
    mechanism: KAFKA_SASL_MECHANISM.toLowerCase(),
    username: KAFKA_SASL_USERNAME,
    password: KAFKA_SASL_PASSWORD,
  }) as SASLOptions

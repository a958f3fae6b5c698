import type { Authorities } from '@connectivity/service-kit/config'
import { isThisMachine } from '@connectivity/service-kit/text'
import type { KafkaConfig, SASLOptions } from 'kafkajs'

/** Kafka's names for the security protocols of a listener. */
export const securityProtocols = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'] as const
/** Ways to prove a password to a broker. */
export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const

/** Configuration of the access; unset texts are empty. */
interface AccessKeys {
  KAFKA_BROKERS: readonly string[]
  KAFKA_SECURITY_PROTOCOL: (typeof securityProtocols)[number]
  KAFKA_CA: Authorities
  KAFKA_CLIENT_CERTIFICATE: string
  KAFKA_CLIENT_KEY: string
  KAFKA_SASL_MECHANISM: (typeof saslMechanisms)[number]
  KAFKA_SASL_USERNAME: string
  KAFKA_SASL_PASSWORD: string
}

/** Addresses of the brokers, host:port, and how to reach them: in plain text by default. */
export interface BrokerAccess extends Pick<KafkaConfig, 'ssl' | 'sasl'> {
  brokers: readonly string[]
}

/** With TLS a broker must always present a certificate from its authority for its host name. */
export function brokerAccess(config: AccessKeys): BrokerAccess {
  const protocol = config.KAFKA_SECURITY_PROTOCOL
  return {
    brokers: config.KAFKA_BROKERS,
    ...(protocol.endsWith('SSL') && { ssl: tlsOf(config) }),
    ...(protocol.startsWith('SASL') && { sasl: saslOf(config) }),
  }
}

/** Configuration rule: reports settings that the protocol requires and lacks, and settings that it ignores. */
export function brokerFaults(config: Partial<AccessKeys>): string[] {
  const protocol = config.KAFKA_SECURITY_PROTOCOL
  if (protocol === undefined) return []
  const faults = [...tlsFaults(config, protocol.endsWith('SSL')), ...saslFaults(config, protocol.startsWith('SASL'))]
  return faults.map((fault) => `with KAFKA_SECURITY_PROTOCOL ${protocol} ${fault}`)
}

/** Warns about unprotected traffic to other machines. */
export function brokerCautions({ KAFKA_SECURITY_PROTOCOL: protocol, KAFKA_BROKERS: brokers }: AccessKeys): string[] {
  if (protocol.endsWith('SSL') || brokers.every(isThisMachine)) return []
  return [`KAFKA_SECURITY_PROTOCOL ${protocol} is not protected by TLS: set SASL_SSL`]
}

const isGiven = (value: string | Authorities | undefined): boolean =>
  typeof value === 'object' ? value.tls !== null : value !== undefined && value !== ''

function tlsFaults(config: Partial<AccessKeys>, isTls: boolean): string[] {
  const { KAFKA_CA, KAFKA_CLIENT_CERTIFICATE: certificate, KAFKA_CLIENT_KEY: key } = config
  if (!isTls) return [KAFKA_CA, certificate, key].some(isGiven) ? ['certificates have no effect'] : []
  const isHalf = (certificate === '' && isGiven(key)) || (key === '' && isGiven(certificate))
  return isHalf ? ['KAFKA_CLIENT_CERTIFICATE and KAFKA_CLIENT_KEY are required together'] : []
}

function saslFaults({ KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }: Partial<AccessKeys>, isSasl: boolean): string[] {
  const user = [KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD]
  if (!isSasl) return user.some(isGiven) ? ['a SASL user has no effect'] : []
  return user.includes('') ? ['KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are required'] : []
}

const tlsOf = ({ KAFKA_CA, KAFKA_CLIENT_CERTIFICATE, KAFKA_CLIENT_KEY }: AccessKeys) => ({
  get ca() {
    return KAFKA_CA.tls?.ca
  },
  ...(KAFKA_CLIENT_KEY !== '' && { cert: KAFKA_CLIENT_CERTIFICATE, key: KAFKA_CLIENT_KEY }),
})

const saslOf = ({ KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }: AccessKeys) =>
  ({
    mechanism: KAFKA_SASL_MECHANISM.toLowerCase(),
    username: KAFKA_SASL_USERNAME,
    password: KAFKA_SASL_PASSWORD,
  }) as SASLOptions

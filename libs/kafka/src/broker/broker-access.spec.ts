import { readConfig } from '@connectivity/service-kit/config'
import { brokerAccess } from './broker-access.js'
import { brokerKeys } from './config.js'

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'
const access = (env: Record<string, string>) =>
  brokerAccess(readConfig(brokerKeys, { KAFKA_BROKERS: 'a:1,b:2', ...env }))

describe('access to brokers', () => {
  it('is plain text by default', () => {
    expect(access({})).toEqual({ brokers: ['a:1', 'b:2'] })
  })

  it('is TLS with the authorities of Node.js, or with the given ones', () => {
    expect(access({ KAFKA_SECURITY_PROTOCOL: 'SSL' })).toMatchObject({ ssl: {} })
    expect(access({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_CA: PEM }).ssl).toEqual({ ca: PEM })
    const both = { KAFKA_CLIENT_CERTIFICATE: PEM, KAFKA_CLIENT_KEY: PEM }
    expect(access({ KAFKA_SECURITY_PROTOCOL: 'SSL', ...both }).ssl).toEqual({ cert: PEM, key: PEM })
  })

  it('is SASL with a user, with or without TLS', () => {
    const user = { KAFKA_SASL_USERNAME: 'u', KAFKA_SASL_PASSWORD: 'p' }
    const sasl = { mechanism: 'scram-sha-512', username: 'u', password: 'p' }
    expect(access({ KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT', ...user })).toEqual({ brokers: ['a:1', 'b:2'], sasl })
    expect(access({ KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SASL_MECHANISM: 'PLAIN', ...user })).toMatchObject({
      ssl: {},
      sasl: { ...sasl, mechanism: 'plain' },
    })
  })

  it.each([
    [{ KAFKA_CA: PEM }, 'certificates have no effect'],
    [{ KAFKA_SASL_USERNAME: 'u' }, 'a SASL user has no effect'],
    [{ KAFKA_SECURITY_PROTOCOL: 'SASL_SSL' }, 'KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are required'],
    [{ KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SASL_USERNAME: 'u' }, 'KAFKA_SASL_PASSWORD are required'],
    [{ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_CLIENT_KEY: PEM }, 'are required together'],
    [{ KAFKA_SECURITY_PROTOCOL: 'TLS' }, 'KAFKA_SECURITY_PROTOCOL must be one of'],
    [{ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_CA: 'ca.pem' }, 'KAFKA_CA must be text in PEM'],
  ])('is refused with %j', (env, message) => {
    expect(() => access(env)).toThrow(message)
  })

  it('reports all faults at once', () => {
    const env = { KAFKA_BROKERS: 'a', KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_CLIENT_KEY: PEM }
    expect(() => access(env)).toThrow(
      /^configuration: KAFKA_BROKERS must be .*; with KAFKA_SECURITY_PROTOCOL SASL_SSL .* required together; with .* required$/,
    )
  })

  it('reports nothing else about a key that cannot be read', () => {
    const env = { KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_CLIENT_CERTIFICATE: PEM, KAFKA_CLIENT_KEY: 'key.pem' }
    expect(() => access(env)).toThrow(/^configuration: KAFKA_CLIENT_KEY must be text in PEM \([^;]*$/)
  })
})

import { cautionsOf, type ConfigKeys, readConfig } from '@connectivity/service-kit/config'
import { configKeys } from './config.js'

const key = Buffer.alloc(32, 1).toString('base64')
const services = ['catalog', 'reservation-feed', 'ari', 'event-dispatch']
const env = {
  NODE_ENV: 'production',
  INSTANCE_NAME: 'gateway-1',
  DATABASE_URL: 'postgres://gateway@database/gateway',
  KAFKA_BROKERS: '127.0.0.1:9092,kafka:9092',
  REDIS_URL: 'redis://redis:6379',
  CATALOG_URL: 'http://catalog:8082',
  RESERVATION_FEED_URL: 'http://127.0.0.1:8083',
  ARI_URL: 'https://ari:8084',
  EVENT_DISPATCH_URL: 'http://event-dispatch:8085',
  IDENTITY_KEYS: services.map((name) => `${name}=${key}`).join(','),
  KEY_ENCRYPTION_KEYS: `k1:${key}`,
  OPERATOR_JWKS: '/etc/jwks.json',
  OPERATOR_ISSUER: 'https://operators.example.com',
  OPERATOR_AUDIENCE: 'connectivity',
}
const secured = {
  DATABASE_URL: 'postgres://gateway@database/gateway?sslmode=verify-full',
  KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
  KAFKA_SASL_USERNAME: 'gateway',
  KAFKA_SASL_PASSWORD: 'word',
  PRIVATE_HOSTS: 'operators.example.com',
  REDIS_URL: 'rediss://redis:6379',
  CATALOG_URL: 'https://catalog:8082',
  PUBLIC_URL: 'https://connectivity.example.com',
  PUBLIC_TLS_FILES: '/run/tls',
  PRIVATE_TLS_FILES: '/run/tls',
  EVENT_DISPATCH_URL: 'https://event-dispatch:8085',
}
const cautions = (given: object) => cautionsOf(configKeys as ConfigKeys, readConfig(configKeys, { ...env, ...given }))

describe("the gateway's configuration", () => {
  it('causes a warning in production for each open risk, with the setting that closes it', () => {
    expect(cautions({})).toEqual([
      'DATABASE_URL is not protected by TLS: set DATABASE_CA, or sslmode=verify-full in the address',
      'KAFKA_SECURITY_PROTOCOL PLAINTEXT is not protected by TLS: set SASL_SSL',
      'the private listener answers under any name: set PRIVATE_HOSTS to those that operators use',
      'portal links lead to this machine: set PUBLIC_URL',
      'the public listener is not protected by TLS: set PUBLIC_TLS_FILES',
      'the private listener is not protected by TLS: set PRIVATE_TLS_FILES',
      'REDIS_URL is not protected by TLS: set a rediss:// address',
      'CATALOG_URL is not protected by TLS: set a https:// address',
      'EVENT_DISPATCH_URL is not protected by TLS: set a https:// address',
    ])
  })

  it('causes no warning when everything is protected, or outside production', () => {
    expect(cautions(secured)).toEqual([])
    expect(cautions({ NODE_ENV: 'development' })).toEqual([])
  })

  it.each(['OPERATOR_JWKS', 'OPERATOR_OIDC_ISSUER'])('takes %s over https, and over http on loopback only', (key) => {
    const at = (url: string) => readConfig(configKeys, { ...env, [key]: url })
    expect(at('https://identity.example.com/jwks')).toMatchObject({ [key]: 'https://identity.example.com/jwks' })
    expect(at('http://127.0.0.1:9000/jwks')).toMatchObject({ [key]: 'http://127.0.0.1:9000/jwks' })
    expect(() => at('http://identity.example.com/jwks')).toThrow('http:// is for loopback only')
  })

  it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
    'causes a warning for traces that go to another machine without TLS by %s',
    (key) => {
      expect(cautions({ ...secured, [key]: 'http://collector:4318' })).toEqual([
        `${key} is not protected by TLS: set a https:// address`,
      ])
      for (const address of ['', 'https://collector:4318', 'http://127.0.0.1:4318'])
        expect(cautions({ ...secured, [key]: address })).toEqual([])
    },
  )

  it.each(['require', 'verify-ca', 'no-verify', 'disable'])('causes a warning for sslmode=%s', (mode) => {
    expect(cautions({ ...secured, DATABASE_URL: `${env.DATABASE_URL}?sslmode=${mode}` })).toHaveLength(1)
  })

  it('causes no warning for a database with DATABASE_CA', () => {
    const DATABASE_CA = '-----BEGIN CERTIFICATE-----\n'
    expect(cautions({ ...secured, DATABASE_URL: env.DATABASE_URL, DATABASE_CA })).toEqual([])
  })
})

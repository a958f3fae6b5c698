import { readConfig } from '@connectivity/service-kit/config'
import { configKeys } from './config.js'

const read = (env: NodeJS.ProcessEnv) => readConfig(configKeys, env)

const env = {
  DATABASE_URL: 'postgres://127.0.0.1/x',
  KAFKA_BROKERS: '127.0.0.1:9092',
  INSTANCE_NAME: 'event-dispatch-0',
  IDENTITY_KEY: Buffer.alloc(32).toString('base64'),
  KEY_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  CURSOR_KEYS: `c1:${Buffer.alloc(32).toString('base64')}`,
}

describe("event dispatch's configuration", () => {
  it('opens no address and no port by default', () => {
    expect(read(env)).toMatchObject({ CALLBACK_ALLOW: [], CALLBACK_PORTS: new Set() })
    expect(read({ ...env, CALLBACK_PORTS: '8443,9443' }).CALLBACK_PORTS).toEqual(new Set([8443, 9443]))
  })

  it('has no test mode in production', () => {
    const allow = { ...env, CALLBACK_ALLOW: '127.0.0.0/8,[::1]' }
    expect(read(allow).CALLBACK_ALLOW).toHaveLength(2)
    expect(() => read({ ...allow, NODE_ENV: 'production' })).toThrow('CALLBACK_ALLOW')
    expect(() => read({ ...env, NODE_ENV: 'production' })).not.toThrow()
  })
})

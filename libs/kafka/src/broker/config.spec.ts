import { readConfig } from '@connectivity/service-kit/config'
import { serviceKeys } from '@connectivity/service-kit/service'
import { kafkaKeys, kafkaOptions } from './config.js'

const read = (env: Record<string, string>) =>
  readConfig({ ...serviceKeys, ...kafkaKeys }, { KAFKA_BROKERS: '127.0.0.1:9092', INSTANCE_NAME: 'a', ...env })

describe('the topic prefix', () => {
  it('is accepted in tests', () => {
    const options = kafkaOptions('ari', read({ NODE_ENV: 'test', KAFKA_TOPIC_PREFIX: 'suite-1.' }))
    expect(options.topicPrefix).toBe('suite-1.')
  })

  it.each(['production', 'development', undefined])('is refused when NODE_ENV is %s', (NODE_ENV) => {
    const env = { KAFKA_TOPIC_PREFIX: 'suite-1.', ...(NODE_ENV && { NODE_ENV }) }
    expect(() => read(env)).toThrow('KAFKA_TOPIC_PREFIX keeps test suites apart')
  })

  it('is empty by default', () => {
    expect(kafkaOptions('ari', read({ NODE_ENV: 'production' })).topicPrefix).toBe('')
  })
})

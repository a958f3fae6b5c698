// Where the parts of docker-compose.yml answer.
import { portFromEnvironment, portKeys } from '../../local/config.mjs'

/** Among the containers. */
export const INSIDE = {
  publicUrl: 'http://gateway:8080',
  privateUrl: 'http://gateway:8081',
  brokers: ['kafka:19092'],
  redisUrl: 'redis://redis:6379',
  postgres: 'postgres:5432',
}

const published = (name) => `127.0.0.1:${portFromEnvironment(portKeys[name].key) ?? portKeys[name].port}`

/** On the machine that runs them: the ports that the compose file publishes. */
export const onTheMachine = () => ({
  publicUrl: `http://${published('gatewayPublic')}`,
  privateUrl: `http://${published('gatewayPrivate')}`,
  brokers: [published('kafka')],
  redisUrl: `redis://${published('redis')}`,
  postgres: published('postgres'),
})

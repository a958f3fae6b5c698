#!/usr/bin/env node
// node deploy/docker/make-env.mjs: secrets and environment of the services in docker-compose.yml, made once into
// deploy/docker/env (git-ignored). operator-token in there is a bearer token for the operators' API.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operatorTokens } from '../local/demo/operator-token.mjs'
import { environmentOf } from '../local/services/environment.mjs'
import { services } from '../local/services/names.mjs'
import { secretsOf } from '../local/services/secrets.mjs'

const dir = fileURLToPath(new URL('env', import.meta.url))
mkdirSync(dir, { recursive: true })
const secrets = secretsOf(dir)

const context = {
  secrets,
  bind: '0.0.0.0',
  hostOf: (name) => name,
  ports: {
    gatewayPublic: 8080,
    gatewayPrivate: 8081,
    catalog: 8082,
    reservationFeed: 8083,
    ari: 8084,
    eventDispatch: 8085,
  },
  databaseUrls: Object.fromEntries(
    Object.entries(secrets.databases).map(([name, password]) => [
      name,
      `postgres://${name}:${password}@postgres:5432/${name}`,
    ]),
  ),
  redisUrl: 'redis://redis:6379',
  brokers: ['kafka:19092'],
  jwks: '/run/operator-jwks.json',
}

const write = (name, text, mode = 0o600) => writeFileSync(join(dir, name), text, { mode })
const lines = (environment) =>
  Object.entries(environment)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('')

for (const service of services) write(`${service.name}.env`, lines(environmentOf(service, context)))
const databases = Object.entries(secrets.databases).map((pair) => pair.join(' '))
write('databases', databases.join('\n'))
write('operator-token', operatorTokens(secrets).token)
process.stdout.write(`Written to ${dir}. Next: docker compose --profile services up --build --detach\n`)

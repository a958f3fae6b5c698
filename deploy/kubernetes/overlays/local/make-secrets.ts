#!/usr/bin/env node
// node deploy/kubernetes/overlays/local/make-secrets.ts | kubectl apply --filename -
// Secrets of a cluster on this machine, made once and kept in .state (git-ignored) or SECRETS_DIR; beside them a bearer
// token for the operators' API. The addresses of the databases are those that the PostgreSQL operator assigns.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { operatorTokens } from '../../../local/demo/operator-token.ts'
import { runtimeRole } from '../../../local/parts/databases.ts'
import { environmentOf, type ServiceContext } from '../../../local/services/environment.ts'
import { type Service, services } from '../../../local/services/names.ts'
import { jwksFile, kafkaPassword, secretsOf } from '../../../local/services/secrets.ts'
import { secretsDir as dir } from './config.ts'

mkdirSync(dir, { recursive: true, mode: 0o700 })
const secrets = secretsOf(dir)
const SECRET_KEYS = ['IDENTITY_KEY', 'IDENTITY_KEYS', 'KEY_ENCRYPTION_KEYS', 'CURSOR_KEYS']

const metadata = (name: string) => ({ name, namespace: 'partner-connectivity' })

function secretOf(service: Service) {
  const context: ServiceContext = {
    secrets,
    ports: {},
    databaseUrls: {},
    brokers: [],
    hostOf: () => '',
    bind: '',
    jwks: '',
    redisUrl: '',
  }
  const environment = Object.entries(environmentOf(service, context)).filter(([key]) => SECRET_KEYS.includes(key))
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(service.name),
    stringData: Object.fromEntries(environment),
  }
}

/** Secret of the role that a service runs as, in its database of the PostgreSQL operator. */
function databaseSecretOf({ name, database }: Service) {
  const [username, password] = [runtimeRole(database), secrets.runtimeRoles[database]]
  const host = `${name}-database-rw.partner-connectivity.svc`
  const uri = `postgresql://${username}:${password}@${host}:5432/${database}`
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/basic-auth',
    metadata: { ...metadata(`${name}-database-runtime`), labels: { 'cnpg.io/reload': 'true' } },
    stringData: { username, password, uri },
  }
}

/** Users that Strimzi makes on Kafka. */
const kafkaUsers = parseAllDocuments(readFileSync(join(import.meta.dirname, '../../platform/kafka/users.yaml'), 'utf8'))
  .map((document) => document.toJS() as { kind: string; metadata: { name: string } })
  .filter(({ kind }) => kind === 'KafkaUser')
  .map(({ metadata }) => metadata.name)

const kafkaSecretOf = (user: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadata(`kafka-user-${user}`),
  stringData: { password: kafkaPassword(secrets, user) },
})

const redisSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadata('redis'),
  stringData: {
    uri: `redis://:${secrets.redis}@redis:6379`,
    'users.acl': `user default on >${secrets.redis} ~* &* +@all`,
  },
}

const keys = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: metadata('operator-jwks-local'),
  data: { 'operator-jwks.json': readFileSync(jwksFile(dir), 'utf8') },
}

writeFileSync(join(dir, 'operator-token'), operatorTokens(secrets).token, { mode: 0o600 })
const items = [
  ...services.map(secretOf),
  ...services.map(databaseSecretOf),
  ...kafkaUsers.map(kafkaSecretOf),
  redisSecret,
  keys,
]
process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items })}\n`)
process.stderr.write(`Operator's token: ${join(dir, 'operator-token')}\n`)

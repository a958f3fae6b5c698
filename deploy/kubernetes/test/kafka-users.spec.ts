import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { services } from '@connectivity/contracts/identity'
import { type KafkaPermission, type KafkaUser, kafkaUsers, permissionsOf } from '@connectivity/contracts/kafka-users'
import { topics } from '@connectivity/contracts/topics'
import { KUBERNETES, manifestsBelow, ofKind } from './manifests.js'

interface User {
  metadata: { name: string; namespace: string }
  spec: {
    authentication: object
    authorization: { type: string; acls: { resource: { type: string; name: string }; operations: string[] }[] }
  }
}
interface Listener {
  tls: boolean
  authentication?: { type: string }
  networkPolicyPeers: { podSelector?: object; namespaceSelector?: object }[]
}
interface Kafka {
  spec: { kafka: { listeners: Listener[]; authorization?: { type: string; superUsers?: string[] } } }
}

const declared = ofKind<User>(manifestsBelow('platform/kafka'), 'KafkaUser')
const [{ spec: kafka }] = ofKind<Kafka>(manifestsBelow('platform/kafka'), 'Kafka') as [Kafka]

const REPOSITORY = join(KUBERNETES, '../..')

/** Sources in a folder, without tests. */
function sourcesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!spec)\.ts$/.test(file))
  return files.map((file) => readFileSync(join(folder, file), 'utf8'))
}

/** Sources of an app and of the libraries that it depends on. */
function sourcesOf(app: string): string[] {
  const folder = join(REPOSITORY, 'apps', app)
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const libraries = Object.keys(dependencies).filter((name) => name.startsWith('@connectivity/'))
  const folders = libraries.map((name) => join(REPOSITORY, 'libs', name.slice('@connectivity/'.length)))
  return [folder, ...folders].flatMap((each) => sourcesIn(join(each, 'src')))
}

/** Topics in the sources of an app that match a pattern, such as `@OnBatch('…')`. */
function namedIn(app: string, pattern: RegExp): string[] {
  const named = sourcesOf(app).flatMap((source) => [...source.matchAll(pattern)])
  return [...new Set(named.map(([, topic]) => topic!))].sort()
}

const topicsOf = (user: KafkaUser, operation: KafkaPermission['operations'][number]): string[] =>
  permissionsOf(user)
    .filter(({ resource, operations }) => resource === 'topic' && operations.includes(operation))
    .map(({ name }) => name)
    .sort()

describe('users on Kafka', () => {
  it('are those that the contracts declare, with a password each', () => {
    expect(declared.map(({ metadata }) => metadata.name)).toEqual(kafkaUsers)
    for (const { metadata, spec } of declared)
      expect(spec.authentication).toEqual({
        type: 'scram-sha-512',
        password: { valueFrom: { secretKeyRef: { name: `kafka-user-${metadata.name}`, key: 'password' } } },
      })
  })

  it.each(kafkaUsers)('%s have exactly the rights that the contracts declare', (user) => {
    const { authorization } = declared.find(({ metadata }) => metadata.name === user)!.spec
    const allowed = authorization.acls.map(({ resource, operations }) => ({ resource, operations }))
    expect(allowed).toEqual(
      permissionsOf(user).map(({ resource: type, name, operations }) => ({
        resource: { type, name, patternType: 'literal' },
        operations,
      })),
    )
  })

  it.each(['gateway', ...services] as const)('%s may read exactly what it consumes', (service) => {
    expect(topicsOf(service, 'Read')).toEqual(namedIn(service, /@OnBatch\('([^']+)'\)/g))
  })

  it.each(['gateway', ...services] as const)('%s may write exactly what it publishes', (service) => {
    const deadLetters = topicsOf(service, 'Read').map((topic) => `${topic}.dlq`)
    // The gateway keeps the audit itself; the library it uses could also publish to the topic.
    const kept = service === 'gateway' ? 'connectivity.operator-changes.v1' : null
    const published = namedIn(service, /\b(?:topic|TOPIC): Topic = '([^']+)'/g).filter((topic) => topic !== kept)
    expect(topicsOf(service, 'Write')).toEqual([...published, ...deadLetters].sort())
  })

  it('leave every topic to one writer, except audit entries and dead letters', () => {
    const several = Object.entries(topics).filter(
      ([name, { writtenBy }]) => !name.endsWith('.dlq') && writtenBy.length > 1,
    )
    expect(several.map(([name]) => name)).toEqual(['connectivity.operator-changes.v1'])
  })
})

describe('the brokers', () => {
  it('accept only users with a password over TLS, and allow nothing by default', () => {
    expect(kafka.kafka.authorization).toEqual({ type: 'simple' })
    for (const { tls, authentication } of kafka.kafka.listeners)
      expect({ tls, type: authentication?.type }).toEqual({ tls: true, type: 'scram-sha-512' })
  })

  it('are used only by listed pods', () => {
    const peers = kafka.kafka.listeners.flatMap(({ networkPolicyPeers }) => networkPolicyPeers)
    expect(peers.length).toBeGreaterThan(0)
    for (const { podSelector, namespaceSelector } of peers) {
      expect(Object.keys(podSelector ?? {})).not.toEqual([])
      expect(Object.keys(namespaceSelector ?? {})).not.toEqual([])
    }
  })
})

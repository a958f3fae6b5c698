import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kafkaUsers } from '@connectivity/contracts/kafka-users'
import { hasGo, isAtHand } from '@connectivity/toolkit/go-programs'
import { build } from './kustomize.js'
import { KUBERNETES, type Manifest, ofKind, parseManifests } from './manifests.js'
import { madeBy, readBy, type SecretUse, secretsOfOneMachine } from './secrets.js'

const canBuild = isAtHand('kustomize') || hasGo() || process.env.GO_PROGRAMS === 'required'
const withKustomize = canBuild ? describe : describe.skip
const title = canBuild ? 'Secrets' : 'Secrets (left out: kustomize is built with Go, which is missing)'

/** Folders applied to each cluster, and the Secrets that a person creates there, as README.md says. */
const clusters: Record<string, { folders: string[]; given: Record<string, string[]> }> = {
  'one machine': { folders: ['overlays/local'], given: { 'kafka-ca': ['ca.crt'] } },
  staging: { folders: ['overlays/staging', 'platform'], given: {} },
  production: { folders: ['overlays/production', 'platform'], given: {} },
}
const GIVEN = { 'backup-object-store': ['ACCESS_KEY_ID', 'ACCESS_SECRET_KEY'], 'gateway-tls': ['tls.crt', 'tls.key'] }
for (const name of ['staging', 'production']) clusters[name]!.given = GIVEN

interface TriggerAuthentication {
  spec: { configMapTargetRef: { parameter: string; name: string; key: string }[] }
}
interface Cluster {
  spec: { managed: { roles: { passwordSecret: { name: string } }[] } }
}
/** A Secret, or what makes one. */
interface SecretMaker {
  metadata: { labels?: Record<string, string> }
  spec?: { target: { template?: { metadata?: { labels?: Record<string, string> } } } }
}
interface ConfigMap {
  metadata: { name: string }
  data: Record<string, string>
}

const all = new Map<string, Manifest[]>()

/** Secrets with more than one maker. */
function contested(made: readonly SecretUse[]): string[] {
  const makers = Map.groupBy(made, ({ secret }) => secret)
  const several = [...makers].filter(([, uses]) => uses.length > 1)
  return several.map(([secret, uses]) => `${secret}: ${uses.map(({ by }) => by).join(', ')}`)
}

/** Keys that are read and have no maker. */
const missing = (made: readonly SecretUse[], read: readonly SecretUse[]): string[] =>
  read.flatMap(({ secret, keys, by }) => {
    const maker = made.find((one) => one.secret === secret)
    if (maker === undefined) return [`${by} reads ${secret}, which has no maker`]
    return keys.filter((key) => !maker.keys.includes(key)).map((key) => `${by} reads ${key} of ${secret}`)
  })

withKustomize(title, () => {
  beforeAll(async () => {
    for (const [name, { folders }] of Object.entries(clusters))
      all.set(name, (await Promise.all(folders.map(async (one) => parseManifests(await build(one), one)))).flat())
    const made = secretsOfOneMachine().map((object) => JSON.stringify(object))
    all.get('one machine')!.push(...made.flatMap((text) => parseManifests(text, 'make-secrets.ts')))
  }, 600_000)

  const givenIn = (cluster: string): SecretUse[] =>
    Object.entries(clusters[cluster]!.given).map(([name, keys]) => ({
      secret: `partner-connectivity/${name}`,
      keys,
      by: 'a person',
    }))

  it.each(Object.keys(clusters))('of %s have one maker each', (cluster) => {
    const made = [...madeBy(all.get(cluster)!), ...givenIn(cluster)]
    expect(made.length).toBeGreaterThan(30)
    expect(contested(made)).toEqual([])
  })

  it.each(Object.keys(clusters))('of %s have every key that is read', (cluster) => {
    const made = [...madeBy(all.get(cluster)!), ...givenIn(cluster)]
    const read = readBy(all.get(cluster)!)
    expect(read.length).toBeGreaterThan(40)
    expect(missing(made, read)).toEqual([])
  })

  it('that a person creates are in the README, and are read', () => {
    const page = readFileSync(join(KUBERNETES, 'README.md'), 'utf8')
    const given = Object.keys(clusters).flatMap(givenIn)
    const read = Object.keys(clusters).flatMap((cluster) => readBy(all.get(cluster)!))
    expect(given).toHaveLength(5)
    for (const { secret } of given) {
      expect(page).toContain(`\`${secret.split('/')[1]}\``)
      expect(read.map((one) => one.secret)).toContain(secret)
    }
  })

  it.each(Object.keys(clusters))('of %s with passwords of roles are watched by CloudNativePG', (cluster) => {
    const roles = ofKind<Cluster>(all.get(cluster)!, 'Cluster').flatMap(({ spec }) => spec.managed.roles)
    expect(roles).toHaveLength(5)
    for (const { passwordSecret } of roles) {
      const maker = all.get(cluster)!.find(({ kind, metadata }) => /Secret$/.test(kind) && metadata.name === passwordSecret.name) // prettier-ignore
      const { metadata, spec } = maker!.object as SecretMaker
      expect(spec?.target.template?.metadata?.labels ?? metadata.labels).toHaveProperty(['cnpg.io/reload'], 'true')
    }
  })

  it('of Kafka users get a user name for KEDA', () => {
    const [authentication] = ofKind<TriggerAuthentication>(all.get('production')!, 'TriggerAuthentication')
    const [{ parameter, name, key }] = authentication!.spec.configMapTargetRef as [{ parameter: string; name: string; key: string }] // prettier-ignore
    const map = ofKind<ConfigMap>(all.get('production')!, 'ConfigMap').find((one) => one.metadata.name === name)!
    expect(parameter).toBe('username')
    expect(kafkaUsers).toContain(map.data[key])
    expect(map.data[key]).toBe('keda')
  })

  it('with two makers, and keys without a maker, are found', () => {
    const planted = parseManifests(
      `
{ kind: Kafka, metadata: { name: k, namespace: kafka }, spec: { entityOperator: { userOperator: { watchedNamespace: n, secretPrefix: user- } } } }
---
{ kind: KafkaUser, metadata: { name: a, namespace: n } }
---
{ kind: ExternalSecret, metadata: { name: e, namespace: n }, spec: { target: { name: user-a }, data: [{ secretKey: password }] } }
---
{ kind: TriggerAuthentication, metadata: { name: t, namespace: n }, spec: { secretTargetRef: [{ name: user-a, key: username }] } }
---
{ kind: Deployment, metadata: { name: d, namespace: n }, spec: { volumes: [{ secret: { secretName: other } }, { projected: { sources: [{ secret: { name: user-a, items: [{ key: password }] } }] } }] } }`,
      'a test',
    )
    expect(contested(madeBy(planted))).toEqual(['n/user-a: KafkaUser a, ExternalSecret e'])
    expect(missing(madeBy(planted), readBy(planted))).toEqual([
      'TriggerAuthentication t reads username of n/user-a',
      'Deployment d reads n/other, which has no maker',
    ])
  })
})

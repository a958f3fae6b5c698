import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrationKeys } from '@connectivity/database'
import { topicKeys } from '@connectivity/kafka/broker'
import type { ConfigKeys } from '@connectivity/service-kit/config'
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { parse } from 'yaml'
import { KUBERNETES, manifestsBelow, ofKind } from './manifests.js'
import { secretsOfOneMachine } from './secrets.js'

interface ExternalSecret {
  metadata: { name: string }
  spec: { data: { secretKey: string }[]; target: { template?: { data?: Record<string, string> } } }
}
type Source = { secret?: { name: string; items?: { key: string; path: string }[] } }

const services = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']
const SECRETS = '/run/secrets/connectivity'

const variablesOf = (file: string): [string, string][] =>
  readFileSync(join(KUBERNETES, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.split('=', 1)[0]!, line.slice(line.indexOf('=') + 1)])

/** Environment of a service in an overlay, from its ConfigMap and its own variables. */
function environmentOf(service: string, overlay: string): Map<string, string> {
  const own = service === 'gateway' ? variablesOf(`overlays/${overlay}/gateway.env`) : []
  return new Map([...variablesOf(`base/${service}/config.env`), ...own, ['INSTANCE_NAME', 'its pod']])
}

/** Finds the exported table of keys under any name. */
async function keysOf(service: string): Promise<ConfigKeys> {
  const module = (await import(`../../../apps/${service}/src/config.ts`)) as Record<string, ConfigKeys>
  return (module.configKeys ?? module.gatewayKeys)!
}

const keyOf = (variable: string): string => variable.replace(/_FILE$/, '')
const secretKeysOf = (service: string): string[] =>
  variablesOf(`base/${service}/config.env`)
    .map(([variable, value]) => ({ key: keyOf(variable), value }))
    .filter(({ key, value }) => value === `${SECRETS}/${key}`)
    .map(({ key }) => key)

const externalSecret = (name: string): ExternalSecret =>
  ofKind<ExternalSecret>(manifestsBelow('components/external-secrets'), 'ExternalSecret').find(
    ({ metadata }) => metadata.name === name,
  )!

/** Secrets that the PostgreSQL operator makes. */
const MADE_BY_POSTGRES = /-database-(app|ca)$/

function mountedBy(service: string): Source[] {
  const deployment = ofKind<IDeployment>(manifestsBelow(`base/${service}`), 'Deployment')[0]!
  return deployment.spec!.template.spec!.volumes![0]!.projected!.sources as Source[]
}

const cases = services.flatMap((service) =>
  ['local', 'staging', 'production'].map((overlay) => [service, overlay] as const),
)

describe('configuration', () => {
  it.each(cases)('of %s in %s names every required key and none that does not exist', async (service, overlay) => {
    const keys = await keysOf(service)
    const environment = environmentOf(service, overlay)
    const given = new Set([...environment.keys()].map(keyOf))
    const required = Object.entries(keys).filter(([, { fallback }]) => fallback === undefined)
    expect(required.map(([name]) => name).filter((name) => !given.has(name))).toEqual([])
    expect([...given].filter((name) => !(name in keys))).toEqual([])
  })

  it.each(cases)('of %s in %s can be read by the service', async (service, overlay) => {
    const keys = await keysOf(service)
    const plain = [...environmentOf(service, overlay)].filter(([name]) => name in keys)
    for (const [name, value] of plain) expect(() => keys[name]!.read(value)).not.toThrow()
  })

  it('of the topics has the keys that the step reads', () => {
    const given = variablesOf('base/topics/config.env').map(([name]) => keyOf(name))
    expect(given.filter((name) => !(name in topicKeys))).toEqual([])
    expect(given).toEqual(expect.arrayContaining(['KAFKA_BROKERS', 'KAFKA_PARTITIONS', 'KAFKA_REPLICATION']))
  })

  it.each(services)('of %s takes its secrets from files that are mounted', (service) => {
    const held = (name: string) => {
      const { data, target } = externalSecret(name).spec
      return target.template?.data ? Object.keys(target.template.data) : data.map(({ secretKey }) => secretKey)
    }
    const mounted = mountedBy(service).flatMap(({ secret }) => {
      if (!secret!.items) return held(secret!.name)
      if (!MADE_BY_POSTGRES.test(secret!.name))
        expect(held(secret!.name)).toEqual(expect.arrayContaining(secret!.items.map(({ key }) => key)))
      return secret!.items.map(({ path }) => path)
    })
    expect(new Set(mounted)).toEqual(new Set(secretKeysOf(service)))
  })

  it.each(services)('of %s gives only its migrations the role that owns the tables', (service) => {
    const [job] = ofKind<IDeployment>(manifestsBelow(`base/${service}`), 'Job')
    const { volumes, containers } = job!.spec!.template.spec!
    const mounted = (volumes![0]!.projected!.sources as Source[]).flatMap(({ secret }) => secret!.items!)
    expect(mounted.map(({ path }) => path).sort()).toEqual(Object.keys(migrationKeys).sort())
    const [{ name, value }] = containers[0]!.env as [{ name: string; value: string }]
    expect([name, value]).toEqual(['MIGRATION_DATABASE_URL_FILE', `${SECRETS}/MIGRATION_DATABASE_URL`])
    expect(JSON.stringify(mountedBy(service))).not.toContain(`${service}-database-app`)
  })

  it.each(['staging', 'production'])('of the gateway in %s reaches Redis over TLS', (overlay) => {
    expect(environmentOf('gateway', overlay).get('REDIS_CA_FILE')).toBe(`${SECRETS}/REDIS_CA`)
    expect(externalSecret('redis').spec.target.template!.data!.uri).toMatch(/^rediss:/)
  })

  it.each(['staging', 'production'])('of the gateway in %s names the hosts of the private listener', (overlay) => {
    expect(environmentOf('gateway', overlay).get('PRIVATE_HOSTS')).toContain('gateway-private')
  })

  it.each(services)('of %s reaches Kafka and PostgreSQL over TLS, Kafka as a user of its own', (service) => {
    const environment = environmentOf(service, 'production')
    expect(environment.get('KAFKA_SECURITY_PROTOCOL')).toBe('SASL_SSL')
    expect(environment.get('KAFKA_SASL_USERNAME')).toBe(service)
    expect(environment.get('KAFKA_CA_FILE')).toBe(`${SECRETS}/KAFKA_CA`)
    expect(environment.get('DATABASE_CA_FILE')).toBe(`${SECRETS}/DATABASE_CA`)
  })

  it.each(['staging', 'production'])('of %s names every image by its digest', (overlay) => {
    const { images } = parse(readFileSync(join(KUBERNETES, `overlays/${overlay}/kustomization.yaml`), 'utf8')) as {
      images: { name: string; digest?: string; newTag?: string }[]
    }
    expect(images.map(({ name }) => name)).toEqual(services.map((name) => `partner-connectivity/${name}`))
    for (const { digest, newTag } of images)
      expect([digest, newTag]).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/), undefined])
  })

  it('takes every secret of a cluster on one machine from make-secrets.ts', () => {
    const made = secretsOfOneMachine()
    for (const service of services) {
      const secret = made.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === service)!
      const others = mountedBy(service).flatMap(({ secret }) => secret!.items?.map(({ path }) => path) ?? [])
      const wanted = secretKeysOf(service).filter((key) => !others.includes(key))
      expect(new Set(Object.keys(secret.stringData))).toEqual(new Set(wanted))
    }
    expect(made.find(({ kind }) => kind === 'ConfigMap')!.metadata.name).toBe('operator-jwks-local')
  })

  it.each(services)('of %s has no secret in plain text', async (service) => {
    const keys = await keysOf(service)
    const open = variablesOf(`base/${service}/config.env`).map(([name]) => name)
    expect(open.filter((name) => keys[name]?.secret)).toEqual([])
  })

  it.each(services)('of %s can be read with traces enabled', async (service) => {
    const keys = await keysOf(service)
    const given = variablesOf('components/tracing/collector.env')
    for (const [name, value] of given) expect(() => keys[name]!.read(value)).not.toThrow()
  })
})

import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { hasGo, isAtHand } from '@connectivity/toolkit/go-programs'
import { build } from './kustomize.js'
import { type Manifest, ofKind, parseManifests } from './manifests.js'
import { amountOf } from '@connectivity/toolkit/amounts'
import { faultsOf } from './schemas.js'

const overlays = ['overlays/local', 'overlays/staging', 'overlays/production']
const parts = ['platform', 'components/ingress']

/** `npm run kubernetes:validate` requires Kustomize; `npm test` skips this if it was never built and Go is missing. */
const canBuild = isAtHand('kustomize') || hasGo() || process.env.GO_PROGRAMS === 'required'
const withKustomize = canBuild ? describe : describe.skip
const title = canBuild ? 'overlays' : 'overlays (left out: kustomize is built with Go, which is missing)'

const built = new Map<string, Manifest[]>()

withKustomize(title, () => {
  beforeAll(async () => {
    const buildOne = async (folder: string) => built.set(folder, parseManifests(await build(folder), folder))
    await build('base')
    await Promise.all([...overlays, ...parts].map(buildOne))
  }, 600_000)

  it.each([...overlays, ...parts])(
    '%s is valid by the schemas of its kinds',
    async (folder) => {
      expect(await faultsOf(built.get(folder)!)).toEqual([])
    },
    120_000,
  )

  it.each(overlays)('%s names every object once, and every image with a version', (folder) => {
    const names = built.get(folder)!.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)
    expect(names).toEqual([...new Set(names)])
    const images = ofKind<IDeployment>(built.get(folder)!, 'Deployment').flatMap(({ spec }) =>
      [...spec!.template.spec!.containers, ...(spec!.template.spec!.initContainers ?? [])].map(({ image }) => image),
    )
    expect(images.filter((image) => !/:[\w.-]+$/.test(image!))).toEqual([])
  })

  it('overlays/local fits two CPUs, beside the operators and the pods of a roll-out', () => {
    const pods = built.get('overlays/local')!.filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
    const requests = pods.map(({ object }) => {
      const { containers } = (object as IDeployment).spec!.template.spec!
      return amountOf(containers[0]!.resources!.requests!.cpu as string)
    })
    const others = built.get('overlays/local')!.filter(({ kind }) => ['Cluster', 'KafkaNodePool'].includes(kind))
    const ofOthers = others.map(({ object }) =>
      amountOf((object as { spec: { resources: { requests: { cpu: string } } } }).spec.resources.requests.cpu),
    )
    expect(others).toHaveLength(6)
    expect([...requests, ...ofOthers].reduce((sum, one) => sum + one, 0)).toBeLessThan(1)
  })

  it('overlays/production never moves a zone’s share of pods to another zone', () => {
    const services = ofKind<IDeployment>(built.get('overlays/production')!, 'Deployment')
    expect(services).toHaveLength(5)
    for (const { spec } of services)
      expect(spec!.template.spec!.topologySpreadConstraints![0]).toMatchObject({
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        nodeTaintsPolicy: 'Honor',
      })
  })

  it.each([
    ['overlays/production', ['Namespace']],
    ['platform', ['Cluster', 'Kafka', 'KafkaNodePool', 'KafkaTopic', 'Namespace', 'ObjectStore']],
  ])('%s keeps what holds data when Helm, Argo CD or Flux removes the rest', (folder, kinds) => {
    const holders = built.get(folder)!.filter(({ kind }) => kinds.includes(kind))
    expect([...new Set(holders.map(({ kind }) => kind))].sort()).toEqual(kinds)
    for (const { metadata } of holders)
      expect(metadata).toMatchObject({
        annotations: {
          'helm.sh/resource-policy': 'keep',
          'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
          'kustomize.toolkit.fluxcd.io/prune': 'disabled',
        },
      })
  })

  it('platform archives and backs up every database', () => {
    const all = built.get('platform')!
    const databases = all.filter(({ kind }) => kind === 'Cluster')
    expect(databases).toHaveLength(5)
    for (const { object } of databases)
      expect(object).toMatchObject({
        spec: { plugins: [{ isWALArchiver: true }], affinity: { topologyKey: expect.any(String) } },
      })
    const backedUp = all
      .filter(({ kind }) => kind === 'ScheduledBackup')
      .map(({ object }) => (object as { spec: { cluster: { name: string } } }).spec.cluster.name)
    expect(backedUp.sort()).toEqual(databases.map(({ metadata }) => metadata.name).sort())
  })

  it.each([
    ['overlays/staging', 8],
    ['overlays/production', 8],
    ['platform', 2],
  ])('%s labels what Prometheus reads', (folder, count) => {
    const read = built.get(folder)!.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com/'))
    expect(read).toHaveLength(count)
    for (const { metadata } of read) expect(metadata.labels).toHaveProperty('release', 'kube-prometheus-stack')
  })

  it.each(overlays.slice(1))("%s opens its own operators' network, not the one in the base", (folder) => {
    const text = JSON.stringify(built.get(folder)!.find(({ metadata }) => metadata.name === 'gateway-operators'))
    expect(text).not.toContain('192.0.2.0/24')
  })
})

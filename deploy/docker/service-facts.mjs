// What the repository itself says of its services, for the tests that hold the compose file and the images to it.
import { spawnSync } from 'node:child_process'
import { root } from '../local/config.mjs'
import { environmentOf } from '../local/services/environment.mjs'
import { services } from '../local/services/names.mjs'

/** The five services by name. */
export const names = services.map(({ name }) => name)

const TABLES = `const tables = {}
for (const name of ${JSON.stringify(names)}) {
  const keys = Object.values(await import('./apps/' + name + '/dist/config.js')).find((table) => table.DATABASE_URL)
  tables[name] = Object.fromEntries(Object.entries(keys).map(([key, { fallback }]) => [key, fallback === undefined]))
}
process.stdout.write(JSON.stringify(tables))`

/**
 * The configuration keys of the built services.
 * @returns {Record<string, Record<string, boolean>>} by service and key: whether it is required
 */
export function configurations() {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', TABLES], { cwd: root })
  if (stdout.length === 0) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString())
}

/** The keys that `npm start` sets for a service. */
export function toldLocally(name) {
  const anything = new Proxy({}, { get: () => 'x' })
  const context = { secrets: { identity: anything }, ports: anything, databaseUrls: anything, brokers: [] }
  const service = services.find((one) => one.name === name)
  return Object.keys(environmentOf(service, { ...context, hostOf: () => 'x' }))
}

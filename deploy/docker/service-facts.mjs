// Names and settings of the services, for the tests of the compose file and the images.
import { environmentOf } from '../local/services/environment.mjs'
import { services } from '../local/services/names.mjs'

/** The five services by name. */
export const names = services.map(({ name }) => name)

/** The keys that `npm start` sets for a service. */
export function toldLocally(name) {
  const anything = new Proxy({}, { get: () => 'x' })
  const context = { secrets: { identity: anything }, ports: anything, databaseUrls: anything, brokers: [] }
  const service = services.find((one) => one.name === name)
  return Object.keys(environmentOf(service, { ...context, hostOf: () => 'x' }))
}

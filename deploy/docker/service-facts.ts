// Names and settings of the services, for the tests of the compose file and the images.
import { environmentOf, type ServiceContext } from '../local/services/environment.ts'
import { type Service, services } from '../local/services/names.ts'
import type { Secrets } from '../local/services/secrets.ts'

/** The five services by name. */
export const names = services.map(({ name }) => name)

/** Most values are empty: only the keys of an environment are used, which do not depend on them. */
const context: ServiceContext = {
  secrets: { identity: Object.fromEntries(names.map((name) => [name, 'x'])) as Secrets['identity'] } as Secrets,
  ports: {},
  databaseUrls: {},
  redisUrl: '',
  brokers: [],
  bind: '',
  hostOf: () => '',
  jwks: '',
}

/** The keys that `npm start` sets for a service. */
export const keysOfLocalStart = (name: Service['name']): string[] =>
  services.filter((one) => one.name === name).flatMap((one) => Object.keys(environmentOf(one, context)))

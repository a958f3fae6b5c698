import type { ConfigKey, ConfigKeys } from '@connectivity/service-kit/config'
import { topicKeys } from '@connectivity/kafka/broker'
import { format } from 'prettier'

const LINE = 120

/** Services by folder name, with their titles on the page. */
const services = {
  gateway: 'Gateway',
  catalog: 'Catalog',
  'reservation-feed': 'Reservation feed',
  ari: 'ARI',
  'event-dispatch': 'Event dispatch',
} as const

export type ServiceKeys = Record<keyof typeof services, ConfigKeys>

/**
 * Reads every service's `config.ts`.
 * @param folder with the code of each app: `src` for tests, `dist` once it is built
 */
export async function keysOfServices(folder: 'src' | 'dist'): Promise<ServiceKeys> {
  const loaded = Object.keys(services).map(async (app) => {
    const { configKeys } = (await import(`../../../apps/${app}/${folder}/config.js`)) as { configKeys: ConfigKeys }
    return [app, configKeys] as const
  })
  return Object.fromEntries(await Promise.all(loaded)) as ServiceKeys
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function row(name: string, { about, fallback, secret, document }: ConfigKey<unknown>): string {
  const otherwise = fallback === undefined ? '**required**' : fallback === '' ? 'empty' : `\`${fallback}\``
  return `| \`${name}\` | ${cell(otherwise)} | ${secret ? 'yes, secret' : document ? 'yes' : ''} | ${cell(about)} |`
}

function table(keys: ConfigKeys): string {
  const rows = Object.entries(keys).map(([name, key]) => row(name, key))
  return ['| key | default | from a file too | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

const isSame = (a: ConfigKey<unknown>, b: ConfigKey<unknown> | undefined): boolean =>
  a.about === b?.about && a.fallback === b.fallback && a.secret === b.secret && a.document === b.document

/** Keys that mean the same in every service. */
function sharedKeys(all: ServiceKeys): ConfigKeys {
  const [first, ...others] = Object.values(all)
  const isShared = ([name, key]: [string, ConfigKey<unknown>]) => others.every((keys) => isSame(key, keys[name]))
  return Object.fromEntries(Object.entries(first!).filter(isShared))
}

const without = (keys: ConfigKeys, shared: ConfigKeys): ConfigKeys =>
  Object.fromEntries(Object.entries(keys).filter(([name]) => !(name in shared)))

const INTRODUCTION = `# Configuration

Every service reads its whole configuration from the environment when it starts, and does not start when anything is
missing or malformed: it names all faults at once, and no value. \`npm run config:docs\` writes this page from the
services' \`config.ts\`.

**Secrets** may come from files instead: \`<KEY>_FILE\` names a file whose content, without one newline at its end, is the
value. So may **certificates**. A key that is given both ways, and a file that cannot be read, is a fault. Files are read
once, at the start. Everything else comes from the environment only.

**Traces** need an address and nothing else; without one the packages for them are not even loaded. The keys are those of
OpenTelemetry. Its exporter also knows \`OTEL_EXPORTER_OTLP_CERTIFICATE\`, \`OTEL_EXPORTER_OTLP_COMPRESSION\` and
\`OTEL_EXPORTER_OTLP_TIMEOUT\`. Traces are sent to the collector as OTLP/HTTP with JSON.`

const COMMANDS = `## Deploy steps and operations

| command | takes |
|---|---|
| \`node apps/<service>/dist/migrate.js\` | \`DATABASE_URL\` and \`DATABASE_CA\` of the service; \`MIGRATION_DATABASE_URL\`: address of the same database for the role that owns its tables; that role then migrates and grants the role of \`DATABASE_URL\` its rights |
| \`node libs/kafka/dist/grant-access.main.js\` | \`KAFKA_BROKERS\` and the keys beside it, as an administrator of the cluster |
| \`npm run rewrap:gateway\`, \`npm run rewrap:event-dispatch\` | \`DATABASE_URL\` and \`KEY_ENCRYPTION_KEYS\` of the service |
| \`node libs/kafka/dist/create-topics.main.js\` | the keys below |

They read secrets from files as the services do.`

/** docs/configuration.md, as Prettier writes it. */
export function configurationPage(all: ServiceKeys): Promise<string> {
  const shared = sharedKeys(all)
  const own = Object.entries(services).map(
    ([app, title]) => `## ${title}\n\n${table(without(all[app as keyof ServiceKeys], shared))}`,
  )
  const page = [INTRODUCTION, `## Every service\n\n${table(shared)}`, ...own, COMMANDS, table(topicKeys)].join('\n\n')
  return format(page, { parser: 'markdown', printWidth: LINE })
}

import { readFileSync } from 'node:fs'

/** One configuration key: how its text is read, what it means, and what holds when it is absent. */
export interface ConfigKey<T> {
  /** One sentence for the table of keys. */
  readonly about: string
  /** @throws Error whose message says what the text must look like */
  readonly read: (text: string) => T
  /** Text taken when the key is absent; a key without it is required. */
  readonly fallback?: string
}

export type ConfigKeys = Record<string, ConfigKey<unknown>>
export type ConfigOf<K extends ConfigKeys> = { readonly [N in keyof K]: K[N] extends ConfigKey<infer T> ? T : never }

/** Ids stand in what the keys have sealed. */
const KEY_ENTRY = /^([\w.-]{1,32}):([A-Za-z0-9+/]+=*)$/

const expecting = (what: string): never => {
  throw new Error(`must be ${what}`)
}

/** Readers of the usual kinds of value. */
export const as = {
  text: (text: string): string => text,
  port: (text: string): number => {
    const port = Number(text)
    return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : expecting('a port number')
  },
  positiveInteger: (text: string): number =>
    /^[1-9]\d{0,9}$/.test(text) ? Number(text) : expecting('a positive integer'),
  list: (text: string): readonly string[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  url: (text: string): string => (URL.canParse(text) ? text : expecting('a URL')),
  /** 32 random bytes in base64. */
  key256: (text: string): Buffer => {
    const key = Buffer.from(text, 'base64')
    return key.length === 32 ? key : expecting('32 bytes in base64')
  },
  /** One such key or, while one takes the place of another, several. */
  keys256: (text: string): readonly Buffer[] => {
    const keys = as.list(text).map((key) => as.key256(key))
    return keys.length > 0 ? keys : expecting('one or more times 32 bytes in base64')
  },
  /** `id:base64,…` → keys by id; the first is the current one. */
  keyRing: (text: string): ReadonlyMap<string, Buffer> => {
    const ring = new Map<string, Buffer>()
    for (const item of as.list(text)) {
      const [, id, key] = KEY_ENTRY.exec(item) ?? expecting('a list of id:base64 keys')
      if (ring.has(id!)) expecting('a list without repeated ids')
      ring.set(id!, as.key256(key!))
    }
    return ring.size > 0 ? ring : expecting('a list of id:base64 keys')
  },
}

/** Keys that every service has. */
export const serviceKeys = {
  HOST: { about: 'Address to listen on.', read: as.text, fallback: '0.0.0.0' },
  LOG_LEVEL: { about: 'Least severe log level: trace, debug, info, warn, error.', read: as.text, fallback: 'info' },
  NODE_ENV: { about: '`production` in a cluster.', read: as.text, fallback: 'development' },
} satisfies ConfigKeys

/** Keys of a service that partners reach through the gateway. */
export const behindGatewayKeys = {
  IDENTITY_KEY: {
    about:
      'Keys with any of which the gateway may sign identities for this service, 32 bytes in base64 each, comma separated.',
    read: as.keys256,
  },
} satisfies ConfigKeys

function readKey(name: string, key: ConfigKey<unknown>, env: NodeJS.ProcessEnv): unknown {
  const file = env[`${name}_FILE`]
  const text = file === undefined ? (env[name] ?? key.fallback) : readFileSync(file, 'utf8').trim()
  if (text === undefined) throw new Error('is required')
  return key.read(text)
}

/**
 * Reads the configuration; `NAME_FILE` names a file that holds the value of `NAME`.
 * @throws Error that lists every missing or malformed key at once
 */
export function readConfig<K extends ConfigKeys>(keys: K, env: NodeJS.ProcessEnv = process.env): ConfigOf<K> {
  const faults: string[] = []
  const entries = Object.entries(keys).map(([name, key]) => {
    try {
      return [name, readKey(name, key, env)]
    } catch (error) {
      faults.push(`${name} ${(error as Error).message} (${key.about})`)
      return [name, undefined]
    }
  })
  if (faults.length > 0) throw new Error(`configuration: ${faults.join('; ')}`)
  return Object.fromEntries(entries) as ConfigOf<K>
}

import { readFileSync } from 'node:fs'
import { Authorities } from './authorities.js'

/** One configuration key: how its text is read, what it means, and its default. */
export interface ConfigKey<T> {
  /** One sentence for the table of keys. */
  readonly about: string
  /**
   * @param again reads the text again, from its file if it has one
   * @throws Error whose message says what the text must look like, without the text
   */
  readonly read: (text: string, again?: () => string) => T
  /** Text used if the key is absent; a key without fallback is required. */
  readonly fallback?: string
  /** Secrets may also come from the file that `<KEY>_FILE` names. */
  readonly secret?: true
  /** Certificates and other texts of several lines may come from a file too. */
  readonly document?: true
  /**
   * Judges the value together with those of other keys of its table, by their names; keys that could not be read are
   * absent.
   * @returns the faults
   */
  rule?(config: object): string[]
  /**
   * Finds values that work but are not safe in production, see `cautionsOf`.
   * @returns one sentence for each that says what to set
   */
  caution?(config: object): string[]
}

/** Configuration keys by their name in the environment. */
export type ConfigKeys = Record<string, ConfigKey<unknown>>
/** The values of keys, each of the type that its key reads. */
export type ConfigOf<K extends ConfigKeys> = { readonly [N in keyof K]: K[N] extends ConfigKey<infer T> ? T : never }

/** Entry of a key ring. The ids are stored with the data that the keys seal. */
const KEY_ENTRY = /^([\w.-]{1,32}):([A-Za-z0-9+/]+=*)$/
const POSITIVE = /^[1-9]\d{0,9}$/
/** A time of that many days ago is still one for PostgreSQL. */
const MOST = 1_000_000
const BROKER = /^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i

const expecting = (what: string): never => {
  throw new Error(`must be ${what}`)
}

const schemeOf = (text: string): string | null => (URL.canParse(text) ? new URL(text).protocol.replace(/:$/, '') : null)

/** Readers of the usual kinds of value. */
export const as = {
  /** Any text, even an empty one. */
  anything: (text: string): string => text,
  text: (text: string): string => (text === '' ? expecting('a text') : text),
  oneOf:
    <const T extends string>(...values: readonly T[]) =>
    (text: string): T =>
      values.find((value) => value === text) ?? expecting(`one of ${values.join(', ')}`),
  port: (text: string): number => {
    const port = Number(text)
    return /^\d+$/.test(text) && port <= 65_535 ? port : expecting('a port number')
  },
  positiveInteger: (text: string): number =>
    POSITIVE.test(text) && Number(text) <= MOST ? Number(text) : expecting(`a positive integer up to ${MOST}`),
  /** A whole number within bounds. */
  integer:
    (least: number, most: number) =>
    (text: string): number => {
      const isWithin = POSITIVE.test(text) && Number(text) >= least && Number(text) <= most
      return isWithin ? Number(text) : expecting(`a whole number from ${least} to ${most}`)
    },
  /** A number from 0 to 1. */
  share: (text: string): number =>
    /^(0(\.\d+)?|1(\.0+)?)$/.test(text) ? Number(text) : expecting('a number from 0 to 1'),
  seconds: (text: string): number => (/^\d{1,3}$/.test(text) ? Number(text) : expecting('whole seconds, 0 to 999')),
  list: (text: string): readonly string[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  /** A list of host:port, at least one. */
  brokers: (text: string): readonly string[] => {
    const brokers = as.list(text)
    return brokers.length > 0 && brokers.every((broker) => BROKER.test(broker))
      ? brokers
      : expecting('a list of host:port')
  },
  /** A URL with one of the schemes. */
  url:
    (...schemes: readonly string[]) =>
    (text: string): string =>
      schemes.includes(schemeOf(text) ?? '') ? text : expecting(`a URL with ${schemes.join(':// or ')}://`),
  /** One or several blocks of PEM, or an empty text. */
  pem: (text: string): string =>
    text === '' || /^-----BEGIN [A-Z ]+-----$/m.test(text) ? text : expecting('text in PEM'),
  /** Certificates to trust, in PEM, followed in their file; an empty text: those that Node.js knows. */
  authorities: (text: string, again?: () => string): Authorities => new Authorities(as.pem(text), again),
  /** 32 random bytes in base64. */
  key256: (text: string): Buffer => {
    const key = Buffer.from(text, 'base64')
    return key.length === 32 ? key : expecting('32 bytes in base64')
  },
  /** One such key, or several during a rotation. */
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

/** The file's text without the newline that editors and `echo` leave at its end. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new Error(`cannot be read from ${file}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function textOf(name: string, key: ConfigKey<unknown>, env: NodeJS.ProcessEnv): string {
  const { secret, document, fallback } = key
  const file = secret || document ? env[`${name}_FILE`] : undefined
  const given = env[name]
  if (file !== undefined && given !== undefined) throw new Error(`is given twice, ${name}_FILE names a file too`)
  const text = file === undefined ? (given ?? fallback) : contentOf(file)
  if (text === undefined) throw new Error('is required')
  return text
}

/**
 * Reads the configuration; for a secret or a document `NAME_FILE` may name the file that holds the value of `NAME`.
 * @throws Error that lists every missing or malformed key and every broken rule at once, and no value
 */
export function readConfig<K extends ConfigKeys>(keys: K, env: NodeJS.ProcessEnv = process.env): ConfigOf<K> {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, key] of Object.entries(keys)) {
    try {
      const again = (): string => textOf(name, key, env)
      config[name] = key.read(again(), again)
    } catch (error) {
      faults.push(`${name} ${(error as Error).message} (${key.about})`)
    }
  }
  for (const { rule } of Object.values(keys)) faults.push(...(rule?.(config) ?? []))
  if (faults.length > 0) throw new Error(`configuration: ${faults.join('; ')}`)
  return config as ConfigOf<K>
}

/** Lists what a production configuration leaves unprotected, one sentence each; empty in other environments. */
export function cautionsOf(keys: ConfigKeys, config: { readonly NODE_ENV: string }): string[] {
  if (config.NODE_ENV !== 'production') return []
  return Object.values(keys).flatMap(({ caution }) => caution?.(config) ?? [])
}

// Objects that make Secrets, and objects that read their keys.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KUBERNETES, type Manifest } from './manifests.js'

/** A Secret, `namespace/name`, with its keys, and the object that makes or reads it. */
export interface SecretUse {
  secret: string
  keys: readonly string[]
  by: string
}

/** An object that make-secrets.ts prints. */
interface Made {
  kind: string
  metadata: { name: string; namespace: string }
  stringData: Record<string, string>
}

/** Objects that make-secrets.ts prints for a cluster on one machine. */
export function secretsOfOneMachine(): Made[] {
  const dir = mkdtempSync(join(tmpdir(), 'secrets-'))
  try {
    const script = join(KUBERNETES, 'overlays/local/make-secrets.ts')
    const env = { ...process.env, SECRETS_DIR: dir, NODE_OPTIONS: '' }
    const text = execFileSync(process.execPath, [script], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return (JSON.parse(text) as { items: Made[] }).items
  } finally {
    rmSync(dir, { recursive: true })
  }
}

interface ExternalSecret {
  spec: {
    target: { name: string; template?: { data?: Record<string, string> } }
    data: { secretKey: string }[]
  }
}
interface Kafka {
  spec: { entityOperator: { userOperator: { watchedNamespace: string; secretPrefix?: string } } }
}

const CERTIFICATE = ['ca.crt', 'tls.crt', 'tls.key']
const AUTHORITY = ['ca.crt', 'ca.key']
const LOGIN = ['username', 'password']
/** Suffixes of the Secrets that CloudNativePG makes for a Cluster, with their keys. */
const OF_CLUSTER: Readonly<Record<string, readonly string[]>> = {
  '-app': [...LOGIN, 'user', 'dbname', 'host', 'port', 'pgpass', 'uri', 'jdbc-uri', 'fqdn-uri', 'fqdn-jdbc-uri'],
  '-ca': AUTHORITY,
  '-server': ['tls.crt', 'tls.key'],
  '-replication': ['tls.crt', 'tls.key'],
}
/** Suffixes of the Secrets that Strimzi makes for a Kafka, with their keys. */
const OF_KAFKA: Readonly<Record<string, readonly string[]>> = {
  '-cluster-ca': ['ca.key'],
  '-cluster-ca-cert': ['ca.crt'],
  '-clients-ca': ['ca.key'],
  '-clients-ca-cert': ['ca.crt'],
}
/** Keys of the Secret that Strimzi makes for a KafkaUser with a password. */
const OF_USER = ['password', 'sasl.jaas.config']

type Names = readonly (readonly [name: string, keys: readonly string[]])[]

const withSuffix = (name: string, suffixes: Readonly<Record<string, readonly string[]>>): Names =>
  Object.entries(suffixes).map(([suffix, keys]) => [`${name}${suffix}`, keys])

/** The Secrets that an object of a kind makes, by name. */
const makers: Readonly<Record<string, (manifest: Manifest, all: readonly Manifest[]) => Names>> = {
  Secret: ({ metadata, object }) => {
    const { data, stringData } = object as { data?: object; stringData?: object }
    return [[metadata.name, Object.keys({ ...data, ...stringData })]]
  },
  ExternalSecret: ({ object }) => {
    const { target, data } = (object as ExternalSecret).spec
    const { template } = target
    return [[target.name, template?.data ? Object.keys(template.data) : data.map(({ secretKey }) => secretKey)]]
  },
  Certificate: ({ object }) => [[(object as { spec: { secretName: string } }).spec.secretName, CERTIFICATE]],
  KafkaUser: ({ metadata }, all) => {
    const operators = all.filter(({ kind }) => kind === 'Kafka').map(({ object }) => (object as Kafka).spec.entityOperator)
    const own = operators.filter(({ userOperator }) => userOperator.watchedNamespace === metadata.namespace)
    return own.map(({ userOperator }) => [`${userOperator.secretPrefix ?? ''}${metadata.name}`, OF_USER])
  },
  Cluster: ({ metadata }) => withSuffix(metadata.name, OF_CLUSTER),
  Kafka: ({ metadata }) => withSuffix(metadata.name, OF_KAFKA),
} // prettier-ignore

const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`

/** All Secrets that are made, one entry per maker. */
export const madeBy = (all: readonly Manifest[]): SecretUse[] =>
  all.flatMap((manifest) =>
    (makers[manifest.kind]?.(manifest, all) ?? []).map(([name, keys]) => ({
      secret: `${manifest.metadata.namespace}/${name}`,
      keys,
      by: nameOf(manifest),
    })),
  )

/** A reference to a Secret, in any of its forms. */
interface Reference {
  name?: string
  secretName?: string
  key?: string
  items?: { key: string }[]
  kind?: string
}

const keysOf = ({ key, items }: Reference): string[] =>
  key === undefined ? (items ?? []).map((item) => item.key) : [key]

/** Fields that refer to Secrets, with the keys that are read if the reference does not name them. */
const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  secret: [],
  secretRef: [],
  secretKeyRef: [],
  secretTargetRef: [],
  passwordSecret: LOGIN,
  accessKeyId: [],
  secretAccessKey: [],
  certificateRefs: ['tls.crt', 'tls.key'],
  caCertificateRefs: ['ca.crt'],
} // prettier-ignore

/** References to Secrets in a value, at any depth. */
function referencesIn(value: unknown): Names {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, inner]: [string, unknown]) => {
    const implied = Object.hasOwn(REFERENCES, field) ? REFERENCES[field] : undefined
    const references = ([inner].flat() as Reference[]).filter((one) => (one?.name ?? one?.secretName) !== undefined)
    if (implied === undefined || references.length === 0) return referencesIn(inner)
    return references
      .filter(({ kind }) => kind !== 'ConfigMap')
      .map((one) => [(one.name ?? one.secretName)!, [...keysOf(one), ...implied]] as const)
  })
}

/** All Secrets that are read, one entry per place. */
export const readBy = (all: readonly Manifest[]): SecretUse[] =>
  all
    .filter(({ kind }) => !['ExternalSecret', 'Secret'].includes(kind))
    .flatMap((manifest) =>
      referencesIn(manifest.object).map(([name, keys]) => ({
        secret: `${manifest.metadata.namespace}/${name}`,
        keys,
        by: nameOf(manifest),
      })),
    )

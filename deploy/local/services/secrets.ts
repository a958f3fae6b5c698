// STATE_DIR/secrets.json: all secrets of one local stack, generated once so that they survive restarts. Beside it lies
// operator-jwks.json, the public half of the operators' key, which the gateway reads.
import { createHmac, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../machine/files.ts'
import { newClusterId } from '../parts/cluster-id.ts'
import type { RolePasswords } from '../parts/databases.ts'
import { type Database, services, type Upstream, upstreams } from './names.ts'

/** The operators' private key. */
interface OperatorKey extends JsonWebKey {
  kid: string
  alg: 'EdDSA'
  use: 'sig'
}

/** All secrets of one stack. */
export interface Secrets {
  /** Password of PostgreSQL's administrator. */
  postgres: string
  /** Password of each database's owner. */
  databases: Record<Database, string>
  /** Password of the role that a database's service runs as. */
  runtimeRoles: Record<Database, string>
  /** Password of Valkey in a cluster on this machine. */
  redis: string
  /** Key of the passwords of Kafka's users in such a cluster. */
  kafkaPasswords: string
  /** Keys of the gateway's statements of identity, by the service that receives them. */
  identity: Record<Upstream['name'], string>
  keyEncryption: string
  callbackKeyEncryption: string
  cursor: string
  eventCursor: string
  kafkaClusterId: string
  operator: OperatorKey
}

const key = () => randomBytes(32).toString('base64')
const password = () => randomBytes(18).toString('hex')
const passwords = () =>
  Object.fromEntries(services.map(({ database }) => [database, password()])) as Record<Database, string>

function make(): Secrets {
  const operator = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return {
    postgres: password(),
    databases: passwords(),
    runtimeRoles: passwords(),
    redis: password(),
    kafkaPasswords: key(),
    identity: Object.fromEntries(upstreams.map(({ name }) => [name, key()])) as Secrets['identity'],
    keyEncryption: key(),
    callbackKeyEncryption: key(),
    cursor: key(),
    eventCursor: key(),
    kafkaClusterId: newClusterId(),
    operator: { ...operator, kid: randomBytes(6).toString('hex'), alg: 'EdDSA', use: 'sig' },
  }
}

/** Path of the operators' public key for the gateway. */
export const jwksFile = (stateDir: string): string => join(stateDir, 'operator-jwks.json')

/** The JWKS with the public half of the operators' key. */
export const publicKeys = ({ operator: { kty, crv, x, kid, alg, use } }: Pick<Secrets, 'operator'>) => ({
  keys: [{ kty, crv, x, kid, alg, use }],
})

/** Reads the stack's secrets; at a start it generates the missing ones. */
export function secretsOf(stateDir: string): Secrets {
  const file = join(stateDir, 'secrets.json')
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>) : {}
  const secrets = { ...make(), ...kept }
  if (Object.keys(secrets).some((name) => !(name in kept))) writeWhole(file, secrets)
  writeWhole(jwksFile(stateDir), publicKeys(secrets), 0o644)
  return secrets
}

/** Password of a user on Kafka in a cluster on this machine. */
export const kafkaPassword = ({ kafkaPasswords }: Pick<Secrets, 'kafkaPasswords'>, user: string): string =>
  createHmac('sha256', kafkaPasswords).update(user).digest('hex')

/** Passwords of the two roles of each database, as `prepareDatabases` takes them. */
export const databasePasswords = ({ databases, runtimeRoles }: Secrets): Record<Database, RolePasswords> =>
  Object.fromEntries(
    Object.entries(databases).map(([name, owner]) => [name, { owner, runtime: runtimeRoles[name as Database] }]),
  ) as Record<Database, RolePasswords>

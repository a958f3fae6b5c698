// STATE_DIR/secrets.json: all secrets of one local stack, generated once so that they survive restarts. Beside it lies
// operator-jwks.json, the public half of the operators' key, which the gateway reads.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../machine/files.mjs'
import { newClusterId } from '../parts/cluster-id.mjs'
import { services, upstreams } from './names.mjs'

const key = () => randomBytes(32).toString('base64')
const password = () => randomBytes(18).toString('hex')
const each = (list, make) => Object.fromEntries(list.map((one) => [one.database, make(one)]))

function make() {
  const operator = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return {
    postgres: password(),
    databases: each(services, password),
    runtimeRoles: each(services, password),
    identity: Object.fromEntries(upstreams.map(({ name }) => [name, key()])),
    keyEncryption: key(),
    callbackKeyEncryption: key(),
    cursor: key(),
    eventCursor: key(),
    kafkaClusterId: newClusterId(),
    operator: { ...operator, kid: randomBytes(6).toString('hex'), alg: 'EdDSA', use: 'sig' },
  }
}

/** Path of the operators' public key for the gateway. */
export const jwksFile = (stateDir) => join(stateDir, 'operator-jwks.json')

/** The JWKS with the public half of the operators' key. */
export const publicKeys = ({ operator: { kty, crv, x, kid, alg, use } }) => ({ keys: [{ kty, crv, x, kid, alg, use }] })

/** Reads the stack's secrets; at a start it generates the missing ones. */
export function secretsOf(stateDir) {
  const file = join(stateDir, 'secrets.json')
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const secrets = { ...make(), ...kept }
  if (Object.keys(secrets).some((name) => !(name in kept))) writeWhole(file, secrets)
  writeWhole(jwksFile(stateDir), publicKeys(secrets), 0o644)
  return secrets
}

/** Passwords of the two roles of each database, as `prepareDatabases` takes them. */
export const databasePasswords = ({ databases, runtimeRoles }) =>
  Object.fromEntries(Object.entries(databases).map(([name, owner]) => [name, { owner, runtime: runtimeRoles[name] }]))

// The first step of docker-compose.yml: secrets of this demo, made once; a database and a role for each service; and
// each service's secrets as files in a volume of its own.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { outside, portKeys, stateDir } from '../../local/config.mjs'
import { run } from '../../local/machine/run.mjs'
import { prepareDatabases } from '../../local/parts/databases.mjs'
import { environmentOf } from '../../local/services/environment.mjs'
import { services } from '../../local/services/names.mjs'
import { databasePasswords, publicKeys, secretsOf } from '../../local/services/secrets.mjs'
import { INSIDE } from './addresses.mjs'
import { SECRET_KEYS } from './secret-keys.mjs'

const READABLE = { mode: 0o444 } // by the service's account, which is not the one that writes here

function contextOf(secrets, databaseUrls) {
  const ports = Object.fromEntries(Object.entries(portKeys).map(([name, { port }]) => [name, port]))
  const where = { bind: '0.0.0.0', hostOf: (name) => name, jwks: '/run/secrets/operator-jwks.json' }
  return { ...INSIDE, ...where, ports, secrets, databaseUrls }
}

/** Rewrites a service's secrets, each into a file with the name of its key. */
function writeSecrets(folder, service, context) {
  mkdirSync(folder, { recursive: true })
  for (const [key, value] of Object.entries(environmentOf(service, context))) {
    if (SECRET_KEYS.includes(key)) replace(join(folder, key), value)
  }
}

/** Writes the URL with the owner's role, only for the migration step. */
function writeOwner(folder, url) {
  mkdirSync(folder, { recursive: true })
  replace(join(folder, 'MIGRATION_DATABASE_URL'), url)
}

function replace(file, text) {
  rmSync(file, { force: true })
  writeFileSync(file, text, READABLE)
}

await run(async () => {
  mkdirSync(stateDir, { recursive: true })
  const secrets = secretsOf(stateDir)
  const { databaseUrls, ownerUrls } = await prepareDatabases(outside.postgres, databasePasswords(secrets))
  const context = contextOf(secrets, databaseUrls)
  const folder = process.env.SECRETS_DIR
  for (const service of services) {
    writeSecrets(join(folder, service.name), service, context)
    writeOwner(join(folder, `${service.name}-owner`), ownerUrls[service.database])
  }
  replace(join(folder, 'gateway', 'operator-jwks.json'), JSON.stringify(publicKeys(secrets)))
})

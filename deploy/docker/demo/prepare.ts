// The first step of docker-compose.yml: secrets of this demo, made once; a database and a role for each service; and
// each service's secrets as files in a volume of its own.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { portKeys, stateDir } from '../../local/bootstrap/config.mjs'
import { run } from '../../local/bootstrap/machine/run.mjs'
import { prepareDatabases } from '../../local/parts/databases.ts'
import { environmentOf, type ServiceContext } from '../../local/services/environment.ts'
import { type Service, services } from '../../local/services/names.ts'
import { databasePasswords, publicKeys, type Secrets, secretsOf } from '../../local/services/secrets.ts'
import { INSIDE } from './addresses.ts'
import { adminUrl, secretsDir } from './config.ts'
import { SECRET_KEYS } from './secret-keys.ts'

const READABLE = { mode: 0o444 } // by the service's account, which is not the one that writes here

function contextOf(secrets: Secrets, databaseUrls: ServiceContext['databaseUrls']): ServiceContext {
  const ports = Object.fromEntries(Object.entries(portKeys).map(([name, { port }]) => [name, port]))
  const where = { bind: '0.0.0.0', hostOf: (name: string) => name, jwks: '/run/secrets/operator-jwks.json' }
  return { ...INSIDE, ...where, ports, secrets, databaseUrls }
}

/** Rewrites a service's secrets, each into a file with the name of its key. */
function writeSecrets(folder: string, service: Service, context: ServiceContext): void {
  mkdirSync(folder, { recursive: true })
  for (const [key, value] of Object.entries(environmentOf(service, context))) {
    if (SECRET_KEYS.includes(key)) replace(join(folder, key), value)
  }
}

/** Writes the URL with the owner's role, only for the migration step. */
function writeOwner(folder: string, url: string): void {
  mkdirSync(folder, { recursive: true })
  replace(join(folder, 'MIGRATION_DATABASE_URL'), url)
}

function replace(file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text, READABLE)
}

await run(async () => {
  mkdirSync(stateDir, { recursive: true })
  const secrets = secretsOf(stateDir)
  const { databaseUrls, ownerUrls } = await prepareDatabases(adminUrl(), databasePasswords(secrets))
  const context = contextOf(secrets, databaseUrls)
  const folder = secretsDir()
  for (const service of services) {
    writeSecrets(join(folder, service.name), service, context)
    writeOwner(join(folder, `${service.name}-owner`), ownerUrls[service.database])
  }
  replace(join(folder, 'gateway', 'operator-jwks.json'), JSON.stringify(publicKeys(secrets)))
})

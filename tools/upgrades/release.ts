#!/usr/bin/env node
// npm run upgrade:release -- <version>: records the statements of this release's migrations as final.
import { writeFileSync } from 'node:fs'
import { services } from '../../deploy/local/services/names.ts'
import { type MigrationClass, digestOf, statementsOf } from './statements.ts'

const [version] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  process.stderr.write('npm run upgrade:release -- <version>, such as 0.2.0\n')
  process.exit(2)
}

/** Name of a service, and the digest of each of its migrations by its name. */
async function migrationsOf({ name }: { name: string }): Promise<[string, Record<string, string>]> {
  const built = new URL(`../../apps/${name}/dist/migrations/migrations.js`, import.meta.url)
  const { migrations } = (await import(built.href)) as { migrations: readonly MigrationClass[] }
  const digests = migrations.map(
    async (migration) => [migration.name, digestOf(await statementsOf(migration))] as const,
  )
  return [name, Object.fromEntries(await Promise.all(digests))]
}

const migrations = Object.fromEntries(await Promise.all(services.map(migrationsOf)))
writeFileSync(new URL('released.json', import.meta.url), `${JSON.stringify({ version, migrations }, null, 2)}\n`)
process.stdout.write(`tools/upgrades/released.json now records ${version}; commit it and tag the commit v${version}\n`)

import { setTimeout as delay } from 'node:timers/promises'
import { Database, databaseAccess, databaseKeys, isLockTimeout, type Queryable } from '@connectivity/database'
import { readConfig } from '@connectivity/service-kit/config'
import { vaultKeys } from './config.js'
import { ConfiguredKeyProvider } from './key-provider.js'
import { type SealedSecret, SecretVault } from './secret-vault.js'

/** A sealed secret that a re-wrap reads and stores again. */
export interface SealedRow {
  /** Name in reports, without any of its content. */
  name: string
  sealed: SealedSecret
  context: string
  /** Stores the secret unless its row has changed in the meantime. */
  store: (fresh: SealedSecret) => Promise<unknown>
}

/** One kind of sealed rows of a database; rows added or removed during the read may be included or not. */
export type SealedRows = (database: Queryable) => AsyncIterable<SealedRow>

/** Result of a run; `failures` names the secrets that do not open, without any of their content. */
export interface RewrapReport {
  rewrapped: number
  failures: string[]
}

/**
 * Wraps every data key under the current key-encryption key, row by row. It may be stopped and started again at any
 * time, beside running services, and leaves rows that are already current unchanged.
 */
export async function rewrapAll(
  database: Queryable,
  vault: SecretVault,
  kinds: readonly SealedRows[],
): Promise<RewrapReport> {
  const report: RewrapReport = { rewrapped: 0, failures: [] }
  for (const rows of kinds) for await (const row of rows(database)) await rewrap(row, vault, report)
  return report
}

async function rewrap({ name, sealed, context, store }: SealedRow, vault: SecretVault, report: RewrapReport) {
  let fresh: SealedSecret | null
  try {
    fresh = await vault.rewrap(sealed, context)
  } catch (error) {
    report.failures.push(`${name}: ${(error as Error).message}`)
    return
  }
  if (!fresh) return
  try {
    await patiently(() => store(fresh))
    report.rewrapped += 1
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    report.failures.push(`${name}: other transactions kept the row locked; run the re-wrap again`)
  }
}

const TRIES = 10
const PAUSE = 500

/** Runs a statement again while its row is locked. */
async function patiently(statement: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return void (await statement())
    } catch (error) {
      if (!isLockTimeout(error) || attempt === TRIES) throw error
      await delay(PAUSE)
    }
  }
}

/** Operations step after a new key-encryption key, on the configured database; exit code 1 if a secret did not open. */
export async function rewrapConfiguredDatabase(kinds: readonly SealedRows[]): Promise<void> {
  const config = readConfig({ ...databaseKeys, ...vaultKeys })
  const database = new Database({ ...databaseAccess(config), applicationName: 'rewrap', migrations: [] })
  try {
    const keys = new ConfiguredKeyProvider(config)
    const { rewrapped, failures } = await rewrapAll(database, new SecretVault(keys), kinds)
    process.stdout.write(`${rewrapped} re-wrapped under ${await keys.currentKeyId()}, ${failures.length} failed\n`)
    for (const failure of failures) process.stderr.write(`${failure}\n`)
    if (failures.length > 0) process.exitCode = 1
  } finally {
    await database.close()
  }
}

import 'reflect-metadata'
import { databaseKeys } from '@connectivity/database/config'
import { Database } from '@connectivity/database/database'
import { readConfig } from '@connectivity/service-kit/config'
import { gatewayKeys } from './config.js'
import { ConfiguredKeyProvider } from './credentials/key-provider.js'
import { RewrapStore } from './credentials/rewrap.store.js'
import { SecretVault } from './credentials/secret-vault.js'

/** Operations step after a new key-encryption key: wraps every data key under the first of KEY_ENCRYPTION_KEYS, then ends. */
const config = readConfig({ ...databaseKeys, KEY_ENCRYPTION_KEYS: gatewayKeys.KEY_ENCRYPTION_KEYS })
const database = new Database({ url: config.DATABASE_URL, applicationName: 'rewrap-credentials', migrations: [] })
try {
  const keys = new ConfiguredKeyProvider(config)
  const { rewrapped, failures } = await new RewrapStore(database, new SecretVault(keys)).rewrapAll()
  process.stdout.write(`${rewrapped} re-wrapped under ${await keys.currentKeyId()}, ${failures.length} failed\n`)
  for (const failure of failures) process.stderr.write(`${failure}\n`)
  if (failures.length > 0) process.exitCode = 1
} finally {
  await database.close()
}

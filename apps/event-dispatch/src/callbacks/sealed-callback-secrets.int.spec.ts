import { randomBytes } from 'node:crypto'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { ConfiguredKeyProvider, rewrapAll, SecretVault } from '@connectivity/vault'
import { migrations } from '../migrations/migrations.js'
import { CallbackSecrets } from '../sending/callback-secrets.service.js'
import { CallbackStore } from './callback.store.js'
import { sealedCallbackSecrets } from './sealed-callback-secrets.store.js'

const [k1, k2] = [randomBytes(32), randomBytes(32)]
const vaultWith = (...keys: [string, Buffer][]) =>
  new SecretVault(new ConfiguredKeyProvider({ KEY_ENCRYPTION_KEYS: new Map(keys) }))
const choice = { url: 'https://example.com/', events: [], payload: 'full' as const }
const idOf = (index: number) => `con_${1000 + index}`

describe("re-wrapping callbacks' secrets", () => {
  const store = new CallbackStore()
  const keys = Array.from({ length: 450 }, () => randomBytes(32))
  let server: TestDatabase
  let database: Database

  beforeAll(async () => {
    server = await createDatabase()
    const options = { url: server.url, applicationName: 'test', migrations }
    await migrate(options)
    database = new Database(options)
    const secrets = new CallbackSecrets(vaultWith(['k1', k1]))
    await database.transaction(async (tx) => {
      for (const [index, key] of keys.entries()) {
        await store.add(tx, idOf(index), choice, await secrets.seal(idOf(index), key))
      }
      await store.rotate(tx, idOf(0), await secrets.seal(idOf(0), randomBytes(32)), 3_600)
    })
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  it('leaves no secret under the old key, and changes no secret', async () => {
    const rewrap = () => rewrapAll(database, vaultWith(['k2', k2], ['k1', k1]), [sealedCallbackSecrets])
    expect(await rewrap()).toEqual({ rewrapped: 451, failures: [] })
    expect(await rewrap()).toEqual({ rewrapped: 0, failures: [] })
    const secrets = new CallbackSecrets(vaultWith(['k2', k2]))
    for (const [index, key] of keys.entries()) {
      const opened = await secrets.open((await store.find(database, idOf(index)))!)
      expect(opened.at(-1)!.key.export()).toEqual(key)
    }
  })

  it('names each secret that cannot be opened', async () => {
    const { failures } = await rewrapAll(database, vaultWith(['k3', randomBytes(32)]), [sealedCallbackSecrets])
    expect(failures).toHaveLength(451)
    expect(failures.slice(0, 2)).toEqual([
      'secret of con_1000: key-encryption key k2 is not configured',
      'previous secret of con_1000: key-encryption key k2 is not configured',
    ])
  })
})

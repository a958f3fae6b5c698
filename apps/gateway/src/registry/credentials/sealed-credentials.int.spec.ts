import { randomBytes } from 'node:crypto'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { answerContext, ConfiguredKeyProvider, rewrapAll, sealedAnswers, SecretVault } from '@connectivity/vault'
import { migrations } from '../../migrations/migrations.js'
import { sealedCredentials } from './sealed-credentials.store.js'

const [k1, k2] = [randomBytes(32), randomBytes(32)]
const vaultWith = (...keys: [string, Buffer][]) =>
  new SecretVault(new ConfiguredKeyProvider({ KEY_ENCRYPTION_KEYS: new Map(keys) }))

describe('re-wrapping under a new key-encryption key', () => {
  let server: TestDatabase
  let database: Database
  const before = vaultWith(['k1', k1])
  const during = vaultWith(['k2', k2], ['k1', k1])
  const after = vaultWith(['k2', k2])
  const place = { applicationId: 'olga', method: 'POST', path: '/p', key: 'key' }
  const rewrap = (vault: SecretVault) => rewrapAll(database, vault, [sealedCredentials, sealedAnswers])
  const rows = async () => {
    const { rows } = await database.query(
      `SELECT credential_id, key_encryption_key_id AS "keyEncryptionKeyId", wrapped_key AS "wrappedKey",
              sealed_secret AS "sealedSecret" FROM credential_secret WHERE sealed_secret IS NOT NULL ORDER BY 1`,
    )
    return rows
  }

  beforeAll(async () => {
    server = await createDatabase()
    const options = { url: server.url, applicationName: 'test', migrations }
    await migrate(options)
    database = new Database(options)
    await database.query(`
      INSERT INTO application VALUES ('app_1', 'a', 'a', 'a', 'approved', '{}', now(), now());
      INSERT INTO connection VALUES ('con_1', 'app_1', 'p', 'p', 'sandbox', 'pilot', null, null, null, now(), 1)`)
    for (let index = 1000; index < 1450; index += 1) {
      const id = `cred_${index}`
      const insert = `INSERT INTO credential VALUES ($1, 'con_1', $2, $3, '{}', false, now(), null, null)`
      await database.query(insert, [id, index === 1000 ? 'oauth' : 'signing', `key_${index}`])
      if (index === 1000) continue
      const sealed = await before.seal(`secret ${index}`, id)
      await database.query(
        `INSERT INTO credential_secret
           (credential_id, created_at, key_encryption_key_id, wrapped_key, sealed_secret, ends_at)
         VALUES ($1, now(), $2, $3, $4, $5)`,
        // Ended secrets are remembered for a while, so they are wrapped again too.
        [id, sealed.keyEncryptionKeyId, sealed.wrappedKey, sealed.sealedSecret, index % 2 === 0 ? null : new Date(0)],
      )
    }
    await database.query(
      `INSERT INTO credential_secret (credential_id, created_at, secret_hash) VALUES ('cred_1000', now(), '\\x00')`,
    )
    const body = await before.sealText('{"signing_secret":"s"}', answerContext(place))
    await database.query(`INSERT INTO idempotent_answer VALUES ('olga', 'POST', '/p', 'key', 'f', 201, '{}', $1)`, [
      body,
    ])
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  it('names secrets that cannot be decrypted and leaves them unchanged', async () => {
    const { rewrapped, failures } = await rewrap(after)
    expect(rewrapped).toBe(0)
    expect(failures).toHaveLength(450)
    expect(failures[0]).toBe('secret of cred_1001: key-encryption key k1 is not configured')
    await expect(before.open((await rows())[0], 'cred_1001')).resolves.toBeDefined()
  })

  it('makes the old key unnecessary and changes no secret', async () => {
    expect(await rewrap(during)).toEqual({ rewrapped: 450, failures: [] })
    for (const row of await rows()) {
      expect(row.keyEncryptionKeyId).toBe('k2')
      const key = await after.open(row, row.credential_id)
      expect(key.export().toString()).toBe(`secret ${row.credential_id.slice(5)}`)
    }
    const { rows: answers } = await database.query('SELECT body FROM idempotent_answer')
    expect(await after.openText(answers[0].body, answerContext(place))).toBe('{"signing_secret":"s"}')
  })

  it('does nothing the second time, and completes an interrupted run', async () => {
    expect(await rewrap(during)).toEqual({ rewrapped: 0, failures: [] })
    const sealed = await before.seal('x', 'cred_1001')
    await database.query(
      `UPDATE credential_secret SET key_encryption_key_id = 'k1', wrapped_key = $1, sealed_secret = $2
        WHERE credential_id = 'cred_1001'`,
      [sealed.wrappedKey, sealed.sealedSecret],
    )
    expect(await rewrap(during)).toEqual({ rewrapped: 1, failures: [] })
  })
})

import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { documented } from '@connectivity/toolkit/backup-page'
import { migrations } from '../migrations/migrations.js'
import { CatalogVersionStore } from './catalog-version.store.js'

describe('versions after a restore', () => {
  let created: TestDatabase
  let database: Database

  beforeAll(async () => {
    created = await createDatabase()
    const options = { url: created.url, applicationName: 'test', migrations }
    await migrate(options)
    database = new Database(options)
  })
  afterAll(async () => {
    await database.close()
    await created.drop()
  })

  it('go on after those that others know, also for a connection that the backup does not know', async () => {
    const store = new CatalogVersionStore()
    const { createKnown, raiseVersions } = documented()
    await database.transaction((tx) => store.raise(tx, ['con_old', 'con_ahead']))
    for (let raised = 0; raised < 9; raised++) await database.transaction((tx) => store.raise(tx, ['con_ahead']))
    await database.transaction(async (tx) => {
      await tx.query(createKnown)
      await tx.query("INSERT INTO known VALUES ('con_old', 7, 3), ('con_new', 4, 2), ('con_ahead', 5, 1)")
      await tx.query(raiseVersions)
    })
    const next = await database.transaction((tx) => store.raise(tx, ['con_old', 'con_new', 'con_ahead']))
    expect(Object.fromEntries(next)).toEqual({
      con_old: { catalog_version: 8, mapping_version: 3 },
      con_new: { catalog_version: 5, mapping_version: 2 },
      con_ahead: { catalog_version: 11, mapping_version: 1 },
    })
  })
})

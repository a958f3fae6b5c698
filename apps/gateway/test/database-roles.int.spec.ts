import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Client } from 'pg'
import { appendOnly, migrations } from '../src/migrations/migrations.js'

const ENTRY = `('aud_1', now(), 'olga', 'credential.issue', 'crd_1', 'ticket 1', NULL, '{}', 'abcdefgh')`
const DENIED = '42501'

describe("the role that a service runs as, in the gateway's database", () => {
  let database: TestDatabase
  let service: Client
  beforeAll(async () => {
    database = await createDatabase()
    const options = { url: database.url, applicationName: 'test', migrations }
    const runtime = { role: database.serviceRole, appendOnly }
    await migrate(options, runtime)
    // A second roll-out changes nothing.
    await migrate(options, runtime)
    service = new Client({ connectionString: database.serviceUrl })
    await service.connect()
    await service.query(`INSERT INTO audit_entry VALUES ${ENTRY}`)
  })
  afterAll(async () => {
    await service.end()
    await database.drop()
  })

  it.each([
    ['create a table', 'CREATE TABLE own (id text)'],
    ['create a schema', 'CREATE SCHEMA own'],
    ['create a function', `CREATE FUNCTION own() RETURNS int LANGUAGE sql AS 'SELECT 1'`],
    ['alter a table', 'ALTER TABLE connection ADD COLUMN own text'],
    ['drop a table', 'DROP TABLE outbox'],
    ['empty a table', 'TRUNCATE outbox'],
    [
      'add a trigger',
      'CREATE TRIGGER own AFTER INSERT ON outbox EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    ],
    ['take the audit over', 'ALTER TABLE audit_entry OWNER TO CURRENT_USER'],
    ['change the audit', `UPDATE audit_entry SET actor = 'mallory'`],
    ['delete from the audit', 'DELETE FROM audit_entry'],
    [
      'replace an entry of the audit',
      `INSERT INTO audit_entry VALUES ${ENTRY} ON CONFLICT (id) DO UPDATE SET actor = 'x'`,
    ],
    ['lock the audit', 'SELECT * FROM audit_entry FOR UPDATE'],
    ['empty the audit', 'TRUNCATE audit_entry'],
    ['make others believe in a migration', `INSERT INTO migration (timestamp, name) VALUES (1, 'Own1')`],
  ])('may not %s', async (_what, statement) => {
    await expect(service.query(statement)).rejects.toMatchObject({ code: DENIED })
    expect((await service.query('SELECT actor FROM audit_entry')).rows).toEqual([{ actor: 'olga' }])
  })

  it('may add to the audit and change what a service changes', async () => {
    await service.query(`INSERT INTO audit_entry VALUES ${ENTRY} ON CONFLICT (id) DO NOTHING`)
    await service.query(`INSERT INTO outbox (topic, value) VALUES ('t', 'v')`)
    expect((await service.query(`UPDATE outbox SET value = 'w'`)).rowCount).toBe(1)
    expect((await service.query('DELETE FROM outbox')).rowCount).toBe(1)
    await service.query('LISTEN changes')
    expect((await service.query('SELECT name FROM migration')).rowCount).toBe(migrations.length)
  })
})

import { parseConnectionEvent } from '@connectivity/contracts/connection-events'
import type { CreateConnection, MoveConnection } from '@connectivity/contracts/operators-api'
import { Database } from '@connectivity/database/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { ApplicationEntity } from '../applications/application.entity.js'
import { ApplicationStore } from '../applications/application.store.js'
import { AuditEntryEntity } from '../audit/audit-entry.entity.js'
import { AuditStore } from '../audit/audit.store.js'
import { migrations } from '../../migrations/migrations.js'
import { ConnectionEntity } from './connection.entity.js'
import { KnownPropertyStore } from './known-property.store.js'
import { ConnectionStore } from './connection.store.js'

const context = (action: string) => ({ actor: 'olga', action, reason: 'test', correlationId: 'correlation' })

describe('changes of a connection', () => {
  let test: TestDatabase
  let database: Database
  let store: ConnectionStore
  let application_id: string

  beforeAll(async () => {
    test = await createDatabase()
    const entities = [ApplicationEntity, ConnectionEntity, AuditEntryEntity]
    const options = { url: test.url, applicationName: 'test', migrations, entities }
    await migrate(options)
    database = new Database(options)
    const audit = new AuditStore(database)
    store = new ConnectionStore(database, audit, new KnownPropertyStore())
    const contact = { name: 'Ada', email: 'ada@example.com' }
    const application = await new ApplicationStore(database, audit).create(context('create'), { name: 'PMS', contact })
    application_id = application.applicationId
  })

  afterAll(async () => {
    await database.close()
    await test.drop()
  })

  const create = async (source_property_id: string) => {
    const { connection } = await store.create(context('create'), {
      application_id,
      source_property_id,
      external_property_id: 'PMS-100',
      environment: 'sandbox',
      reason: 'test',
    } satisfies CreateConnection)
    return connection.connectionId
  }
  const move = (id: string, to: MoveConnection['to']) => store.transition(context('move'), id, { to, reason: 'test' })
  const published = async (id: string) => {
    const { rows } = await database.reads.query<{ topic: string; value: string }>(
      'SELECT topic, value FROM outbox WHERE key = $1 ORDER BY id',
      [id],
    )
    return rows.map(({ topic, value }) => ({ topic, ...parseConnectionEvent(Buffer.from(value)) }))
  }

  it('are published to the other services in order, with rising versions', async () => {
    const connectionId = await create('prop_1')
    await move(connectionId, 'pilot')
    await move(connectionId, 'disabled')
    const common = {
      topic: 'connectivity.connections.v1',
      connection_id: connectionId,
      application_id,
      property_id: 'prop_1',
      external_property_id: 'PMS-100',
      environment: 'sandbox',
    }
    expect(await published(connectionId)).toEqual([
      { ...common, state: 'provisioning', version: 1 },
      { ...common, state: 'pilot', version: 2 },
      { ...common, state: 'disabled', version: 3 },
    ])
  })

  it('leave nothing behind when refused: no row, no message, no entry', async () => {
    const connectionId = await create('prop_2')
    await expect(move(connectionId, 'enabled')).rejects.toThrow(expect.objectContaining({ code: 'invalid_transition' }))
    await expect(create('prop_2')).rejects.toThrow(expect.objectContaining({ code: 'connection_exists' }))
    expect(await published(connectionId)).toHaveLength(1)
    const { rows } = await database.reads.query('SELECT 1 FROM audit_entry WHERE subject = $1', [connectionId])
    expect(rows).toHaveLength(1)
  })

  it('that arrive at the same time are made one after the other', async () => {
    const connectionId = await create('prop_3')
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => move(connectionId, 'pilot')))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await published(connectionId)).map(({ version }) => version)).toEqual([1, 2])
  })
})

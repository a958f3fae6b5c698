import { parseConnectionEvent } from '@connectivity/contracts/connection-events'
import type { CreateConnection, MoveConnection } from '@connectivity/contracts/operators-api'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { newId } from '@connectivity/service-kit/text'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { migrations } from '../../migrations/migrations.js'
import { ApplicationEntity } from '../applications/application.entity.js'
import { ApplicationStore } from '../applications/application.store.js'
import { CreateApplicationService } from '../applications/create-application.service.js'
import { AuditStore } from '../audit/audit.store.js'
import type { Change } from '../changes/operator-changes.service.js'
import { ConnectionEntity } from './connection.entity.js'
import { ConnectionPublisher } from './connection.publisher.js'
import { ConnectionMoves } from './connection-moves.service.js'
import { ConnectionStore } from './connection.store.js'
import { CreateConnectionService } from './create-connection.service.js'
import { MoveConnectionService } from './move-connection.service.js'

describe('changes of a connection', () => {
  let test: TestDatabase
  let database: Database
  let creation: CreateConnectionService
  let moves: MoveConnectionService
  let application_id: string
  let audit: AuditStore
  const entry = { actor: 'olga', action: 'change', reason: 'test', correlation_id: 'correlation' }

  beforeAll(async () => {
    test = await createDatabase()
    const entities = [ApplicationEntity, ConnectionEntity]
    const options = { url: test.url, applicationName: 'test', migrations, entities }
    await migrate(options)
    database = new Database(options)
    audit = new AuditStore(database)
    const [applications, connections] = [new ApplicationStore(database), new ConnectionStore(database)]
    const publisher = new ConnectionPublisher()
    creation = new CreateConnectionService(applications, connections, publisher)
    moves = new MoveConnectionService(new ConnectionMoves(connections, publisher))
    const contact = { name: 'Ada', email: 'ada@example.com' }
    const { result } = await change((open) =>
      new CreateApplicationService(applications).create(open, { name: 'PMS', contact, reason: 'test' }),
    )
    application_id = result.applicationId
  })

  afterAll(async () => {
    await database.close()
    await test.drop()
  })

  /** Runs an operator's change, and returns its audit entry too. */
  const change = async <T>(work: (open: Change) => Promise<T>) => {
    const recorded: object[] = []
    const result = await database.transaction((tx) =>
      work({
        tx,
        reason: 'test',
        record: (effect) => {
          recorded.push(effect)
          audit.keep(tx, [{ ...entry, id: newId('aud'), at: new Date().toISOString(), ...effect }])
        },
      }),
    )
    return { result, recorded }
  }
  const create = async (source_property_id: string) => {
    const body: CreateConnection = {
      application_id,
      source_property_id,
      external_property_id: 'PMS-100',
      environment: 'sandbox',
      reason: 'test',
    }
    return (await change((open) => creation.create(open, body))).result.connectionId
  }
  const move = (id: string, to: MoveConnection['to']) => change((open) => moves.move(open, id, { to, reason: 'test' }))
  const published = async (id: string) => {
    const { rows } = await database.query<{ topic: string; value: string }>(
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
    const { rows } = await database.query('SELECT 1 FROM audit_entry WHERE subject = $1', [connectionId])
    expect(rows).toHaveLength(1)
  })

  it('that arrive at the same time are made one after the other', async () => {
    const connectionId = await create('prop_3')
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => move(connectionId, 'pilot')))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await published(connectionId)).map(({ version }) => version)).toEqual([1, 2])
  })

  it('are recorded with what they found and what they left', async () => {
    const connectionId = await create('prop_4')
    const { recorded } = await move(connectionId, 'pilot')
    expect(recorded).toMatchObject([
      { subject: connectionId, before: { state: 'provisioning', version: 1 }, after: { state: 'pilot', version: 2 } },
    ])
  })
})

import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@connectivity/contracts/errors'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { idempotencyTable } from '@connectivity/testing/tables'
import { Database, type Transaction } from '@connectivity/database'
import type { Answer, IdempotentRequest } from './idempotent-request.js'
import { answerOnce, fingerprintOf } from './idempotency.js'
import { IdempotencyRetentionStore } from './idempotency-retention.store.js'

let server: TestDatabase
let database: Database
beforeAll(async () => {
  server = await createDatabase()
  database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
  await database.query(`${idempotencyTable}; CREATE TABLE effect (id serial)`)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})
beforeEach(() => database.query('TRUNCATE idempotent_answer, effect'))

const request = (given: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  applicationId: 'app_1',
  method: 'POST',
  path: '/p',
  key: 'k',
  fingerprint: fingerprintOf('POST', '/p', 'hash'),
  correlationId: 'correlation-1',
  ...given,
})
const count = async () => (await database.query('SELECT count(*)::integer AS n FROM effect')).rows[0].n as number
const work =
  (fault?: Error) =>
  async (tx: Transaction): Promise<Answer> => {
    const { rows } = await tx.query('INSERT INTO effect DEFAULT VALUES RETURNING id')
    if (fault) throw fault
    return { status: 201, headers: { etag: '"1"' }, body: `{"id":${rows[0].id}, "kept":"as is"}` }
  }

describe('a mutation with an idempotency key', () => {
  it('has one effect; a repetition gets the stored answer byte for byte', async () => {
    const first = await answerOnce(database, request(), work())
    const again = await answerOnce(database, request({ correlationId: 'correlation-2' }), work())
    expect([first.replayed, again.replayed]).toEqual([false, true])
    expect({ ...again, replayed: false }).toEqual(first)
    expect(await count()).toBe(1)
  })

  it('has one effect among 30 at once; the others get its answer or are asked to repeat', async () => {
    const slow = async (tx: Transaction) => {
      await delay(50)
      return work()(tx)
    }
    const all = await Promise.allSettled(Array.from({ length: 30 }, () => answerOnce(database, request(), slow)))
    expect(await count()).toBe(1)
    const refused = all.filter((one) => one.status === 'rejected').map(({ reason }) => (reason as ServiceError).code)
    expect(new Set([...refused, 'idempotency_in_progress'])).toEqual(new Set(['idempotency_in_progress']))
    const bodies = all.filter((one) => one.status === 'fulfilled').map(({ value }) => value.body)
    expect(new Set(bodies).size).toBe(1)
    expect((await answerOnce(database, request(), slow)).body).toBe(bodies[0])
  })

  it('is refused without effect when the key was used for another request', async () => {
    await answerOnce(database, request(), work())
    const other = request({ fingerprint: fingerprintOf('POST', '/p?x=1', 'hash') })
    await expect(answerOnce(database, other, work())).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(await count()).toBe(1)
  })

  it.each([{ applicationId: 'app_2' }, { method: 'PUT' }, { path: '/q' }, { key: 'K' }])(
    'is a different mutation for %j',
    async (given) => {
      await answerOnce(database, request(), work())
      expect((await answerOnce(database, request(given), work())).replayed).toBe(false)
    },
  )

  it('stores the refusals 404, 409 and 422 as answers without effect', async () => {
    const fault = new ServiceError('mapping_conflict', 'taken')
    const first = await answerOnce(database, request(), work(fault))
    expect(first).toMatchObject({ status: 409, body: expect.stringContaining('correlation-1') })
    const again = await answerOnce(database, request({ correlationId: 'correlation-2' }), work())
    expect(again).toEqual({ ...first, replayed: true })
    expect(await count()).toBe(0)
  })

  it.each([
    new ServiceError('invalid_request', 'bad'),
    new ServiceError('mapping_write_forbidden', 'no'),
    new ServiceError('callback_unreachable', 'no'),
    new ServiceError('service_unavailable', 'later'),
    new Error('bug'),
  ])('stores nothing after %s and may succeed the next time', async (fault) => {
    await expect(answerOnce(database, request(), work(fault))).rejects.toBe(fault)
    expect((await answerOnce(database, request(), work())).replayed).toBe(false)
    expect(await count()).toBe(1)
  })

  it('leaves no lock behind when its process dies', async () => {
    const dying = answerOnce(database, request(), async (tx) => {
      await tx.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
      return work()(tx)
    })
    await expect(dying).rejects.toThrow()
    expect((await answerOnce(database, request(), work())).replayed).toBe(false)
  })

  it('is stored sealed when its answer reveals a secret', async () => {
    const seal = {
      seal: (body: string) => Buffer.from(body).toString('base64'),
      open: (body: string) => Buffer.from(body, 'base64').toString(),
    }
    const first = await answerOnce(database, request(), work(), seal)
    const { rows } = await database.query('SELECT body FROM idempotent_answer')
    expect(rows[0].body).not.toContain('kept')
    expect((await answerOnce(database, request(), work(), seal)).body).toBe(first.body)
  })

  it('is forgotten after 72 hours', async () => {
    await answerOnce(database, request(), work())
    await database.query(`UPDATE idempotent_answer SET answered_at = now() - interval '73 hours'`)
    expect((await answerOnce(database, request(), work())).replayed).toBe(false)
    await database.query(`UPDATE idempotent_answer SET answered_at = now() - interval '73 hours'`)
    expect(await new IdempotencyRetentionStore(database).purge()).toBe(1)
  })
})

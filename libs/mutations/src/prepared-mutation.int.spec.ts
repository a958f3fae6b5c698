import { ServiceError } from '@connectivity/contracts/errors'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { idempotencyTable, idempotentClaimTable } from '@connectivity/testing/tables'
import { Database, type Transaction } from '@connectivity/database'
import type { Answer, IdempotentRequest } from './idempotent-request.js'
import { fingerprintOf } from './idempotency.js'
import { PreparedMutations } from './prepared-mutation.js'

let server: TestDatabase
let database: Database
/** Two processes. */
let here: PreparedMutations
let there: PreparedMutations
beforeAll(async () => {
  server = await createDatabase()
  database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
  await database.query(`${idempotencyTable}; ${idempotentClaimTable}; CREATE TABLE effect (id serial)`)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})
beforeEach(async () => {
  await database.query('TRUNCATE idempotent_answer, idempotent_claim, effect')
  here = new PreparedMutations(database)
  there = new PreparedMutations(database)
})
afterEach(() => Promise.all([here.onApplicationShutdown(), there.onApplicationShutdown()]))

const request = (given: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  applicationId: 'app_1',
  method: 'PUT',
  path: '/p',
  key: 'k',
  fingerprint: fingerprintOf('PUT', '/p', 'hash'),
  correlationId: 'correlation-1',
  ...given,
})
const work = async (tx: Transaction, prepared: string): Promise<Answer> => {
  await tx.query('INSERT INTO effect DEFAULT VALUES')
  return { status: 200, headers: {}, body: JSON.stringify({ prepared }) }
}
const number = async (table: string) =>
  (await database.query(`SELECT count(*)::integer AS n FROM ${table}`)).rows[0].n as number
/** I/O that lasts until the test ends it. */
const slow = () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let begun = 0
  const prepare = () => {
    begun += 1
    return promise
  }
  return { prepare, resolve, reject, isUnderWay: () => eventually(() => expect(begun).toBe(1)) }
}
const inProgress = { code: 'idempotency_in_progress', status: 409, retryAfterSeconds: 1 }

describe('a mutation that does I/O first', () => {
  it('does both once; a repetition gets the stored answer', async () => {
    let prepared = 0
    const prepare = async () => `${++prepared}`
    const first = await here.answerOnce(request(), prepare, work)
    expect(first).toMatchObject({ status: 200, body: '{"prepared":"1"}', replayed: false })
    expect(await there.answerOnce(request(), prepare, work)).toEqual({ ...first, replayed: true })
    expect([prepared, await number('effect'), await number('idempotent_claim')]).toEqual([1, 1, 0])
  })

  it('holds its key during the I/O against requests in this and other processes, without a transaction', async () => {
    const io = slow()
    const first = here.answerOnce(request(), io.prepare, work)
    await io.isUnderWay()
    for (const process of [here, there]) {
      await expect(process.answerOnce(request(), io.prepare, work)).rejects.toMatchObject(inProgress)
    }
    const { rows } = await database.query(
      `SELECT count(*)::integer AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'`,
    )
    expect(rows[0].n).toBe(0)
    expect(await there.answerOnce(request({ key: 'other' }), async () => 'x', work)).toMatchObject({ replayed: false })
    io.resolve('done')
    expect(await first).toMatchObject({ body: '{"prepared":"done"}' })
    expect(await there.answerOnce(request(), io.prepare, work)).toMatchObject({ replayed: true })
  })

  it('is refused when its key was used for another request', async () => {
    await here.answerOnce(request(), async () => 'x', work)
    const other = request({ fingerprint: 'another' })
    await expect(here.answerOnce(other, async () => 'x', work)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
  })

  it.each([new ServiceError('callback_unreachable', 'no'), new ServiceError('not_found', 'no'), new Error('bug')])(
    'frees its key and stores nothing when the I/O fails with %s',
    async (fault) => {
      await expect(here.answerOnce(request(), () => Promise.reject(fault), work)).rejects.toBe(fault)
      expect([await number('idempotent_claim'), await number('idempotent_answer')]).toEqual([0, 0])
      expect(await there.answerOnce(request(), async () => 'x', work)).toMatchObject({ replayed: false })
    },
  )

  it('stores a refusal of its work as its answer', async () => {
    const refuse = async () => Promise.reject(new ServiceError('invalid_transition', 'no'))
    const first = await here.answerOnce(request(), async () => 'x', refuse)
    expect(first).toMatchObject({ status: 409, replayed: false })
    expect(await here.answerOnce(request(), async () => 'x', work)).toEqual({ ...first, replayed: true })
  })

  it('frees its key at once when its process dies, and has no effect if the process was alive', async () => {
    const io = slow()
    const first = here.answerOnce(request(), io.prepare, work)
    await io.isUnderWay()
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    const second = await eventually(() => there.answerOnce(request(), async () => 'second', work))
    expect(second).toMatchObject({ body: '{"prepared":"second"}', replayed: false })
    io.resolve('first')
    await expect(first).rejects.toMatchObject(inProgress)
    expect(await number('effect')).toBe(1)
    expect(await here.answerOnce(request({ key: 'next' }), async () => 'x', work)).toMatchObject({ replayed: false })
  })

  it('removes what crashed processes left', async () => {
    await database.query(`INSERT INTO idempotent_claim VALUES ('app_1', 'PUT', '/p', 'gone', 4711, 1)`)
    await here.answerOnce(request(), async () => 'x', work)
    expect(await number('idempotent_claim')).toBe(0)
  })
})

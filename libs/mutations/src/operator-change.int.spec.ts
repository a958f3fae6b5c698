import { createHash, generateKeySync } from 'node:crypto'
import { ServiceError } from '@connectivity/contracts/errors'
import { type AuditEntry, parseOperatorChange } from '@connectivity/contracts/operator-changes'
import { isProven, proveOperatorChange } from '@connectivity/service-kit/identity'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { idempotencyTable, outboxTable } from '@connectivity/testing/tables'
import type { FastifyRequest } from 'fastify'
import { Database } from '@connectivity/database'
import { runOperatorChange, type RecordChange } from './operator-change.js'

let server: TestDatabase
let database: Database
beforeAll(async () => {
  server = await createDatabase()
  database = new Database({ url: server.url, applicationName: 'test', migrations: [] })
  await database.query(`CREATE TABLE note (text text); ${outboxTable}; ${idempotencyTable}`)
})
afterAll(async () => {
  await database.close()
  await server.drop()
})
beforeEach(() => database.query('TRUNCATE note, outbox, idempotent_answer'))

const path = '/ops/v1/callbacks/con_1/suspend'
const [oldKey, newKey] = [generateKeySync('hmac', { length: 256 }), generateKeySync('hmac', { length: 256 })]
const keys = [newKey, oldKey]
const operator = { subject: 'olga', method: 'POST', path, correlation_id: 'abcdefgh' }
const request = (key?: string, given: object = {}) =>
  ({
    method: 'POST',
    url: path,
    raw: { rawHeaders: key === undefined ? [] : ['Idempotency-Key', key] },
    caller: { partner: null, operator },
    server: { proveOperatorChange: (entry: AuditEntry) => proveOperatorChange('event-dispatch', keys, entry) },
    ...given,
  }) as unknown as FastifyRequest
const change = {
  action: 'callback.suspend' as const,
  subject: 'con_1',
  reason: 'r',
  before: { b: 1, a: [0, 1e21], 2: 'é' },
  after: null,
}
const work = async (tx: { query: (sql: string) => Promise<unknown> }, record: RecordChange) => {
  await tx.query(`INSERT INTO note VALUES ('done')`)
  record(change)
  return { status: 200, headers: {}, body: '{"secret":"s3cr3t"}' }
}
const notes = async () => (await database.query('SELECT FROM note')).rowCount
const entries = async () => {
  const { rows } = await database.query<{ topic: string; key: string; value: string }>('SELECT * FROM outbox')
  return rows.map(({ topic, key, value }) => ({ topic, key, ...parseOperatorChange(Buffer.from(value)) }))
}

describe("an operator's change", () => {
  it('writes its audit entry in the same transaction', async () => {
    const answer = await runOperatorChange(database, request(), work)
    const [{ topic, key, entry }] = (await entries()) as [Awaited<ReturnType<typeof entries>>[number]]
    expect({ topic, key }).toEqual({ topic: 'connectivity.operator-changes.v1', key: 'con_1' })
    expect(entry).toEqual({
      ...change,
      id: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
      at: expect.stringMatching(/Z$/),
      actor: 'olga',
      correlation_id: 'abcdefgh',
    })
    expect(answer).toMatchObject({ status: 200, replayed: false, headers: {} })
    expect(parseOperatorChange(Buffer.from(answer.auditEntry!)).entry).toEqual(entry)
    expect(await notes()).toBe(1)
  })

  it('is signed with each key that the service holds, and with no other', async () => {
    await runOperatorChange(database, request(), work)
    const [sent] = (await entries()) as [Awaited<ReturnType<typeof entries>>[number]]
    expect(sent.proof.service).toBe('event-dispatch')
    expect(keys.map((key) => isProven(key, sent))).toEqual([true, true])
    expect(isProven(generateKeySync('hmac', { length: 256 }), sent)).toBe(false)
  })

  it('leaves neither effect nor entry when it fails', async () => {
    const failing = runOperatorChange(database, request(), async (tx, record) => {
      await work(tx, record)
      throw new ServiceError('invalid_transition', 'no')
    })
    await expect(failing).rejects.toMatchObject({ code: 'invalid_transition' })
    expect([await notes(), await entries()]).toEqual([0, []])
  })

  it('leaves no entry and returns none when it has no effect', async () => {
    const idle = await runOperatorChange(database, request(), async () => ({ status: 200, headers: {}, body: '{}' }))
    expect([idle.auditEntry, await entries()]).toEqual([null, []])
  })

  it('is made once for a key, with one entry, and the repetition returns none', async () => {
    const first = await runOperatorChange(database, request('k'), work)
    const second = await runOperatorChange(database, request('"k"'), work)
    expect(first.auditEntry).toContain('"aud_')
    expect(second).toMatchObject({ status: 200, body: first.body, replayed: true, auditEntry: null })
    expect([await notes(), (await entries()).length]).toEqual([1, 1])
  })

  it('limits a key to one operator and one request', async () => {
    await runOperatorChange(database, request('k'), work)
    const other = runOperatorChange(database, request('k', { url: `${path}?x=1` }), work)
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    const colleague = request('k', { caller: { partner: null, operator: { ...operator, subject: 'otto' } } })
    expect(await runOperatorChange(database, colleague, work)).toMatchObject({ replayed: false })
  })

  it('stores its own refusals and no error after which a repetition may succeed', async () => {
    const refusing = (code: 'invalid_transition' | 'invalid_request') =>
      runOperatorChange(database, request(code), async (tx, record) => {
        await work(tx, record)
        throw new ServiceError(code, 'no')
      })
    const first = await refusing('invalid_transition')
    expect(first).toMatchObject({ status: 409, replayed: false })
    expect(first.auditEntry).toBeNull()
    expect(await runOperatorChange(database, request('invalid_transition'), work)).toMatchObject({
      status: 409,
      body: first.body,
      replayed: true,
    })
    await expect(refusing('invalid_request')).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await runOperatorChange(database, request('invalid_request'), work)).toMatchObject({ status: 200 })
    expect([await notes(), (await entries()).length]).toEqual([1, 1])
  })

  it('is written directly to the audit at the gateway', async () => {
    const kept: object[] = []
    const server = { keepOperatorChange: (_tx: unknown, entry: AuditEntry) => void kept.push(entry) }
    const answer = await runOperatorChange(database, request(undefined, { server }), work)
    expect(kept).toMatchObject([change])
    expect(answer.auditEntry).toBeNull()
    expect(await entries()).toEqual([])
  })

  it('refuses a malformed key and treats an empty one as absent', async () => {
    await expect(runOperatorChange(database, request('a b'), work)).rejects.toMatchObject({
      code: 'invalid_idempotency_key',
    })
    await runOperatorChange(database, request(''), work)
    await runOperatorChange(database, request(''), work)
    expect(await notes()).toBe(2)
  })

  it('seals a stored answer that reveals a secret', async () => {
    const seal = {
      seal: (body: string) => createHash('sha256').update(body).digest('hex'),
      open: () => 'opened',
    }
    const first = await runOperatorChange(database, request('k'), work, () => seal)
    expect(first.body).toContain('s3cr3t')
    const { rows } = await database.query<{ body: string }>('SELECT body FROM idempotent_answer')
    expect(rows[0]!.body).not.toContain('s3cr3t')
    expect((await runOperatorChange(database, request('k'), work, () => seal)).body).toBe('opened')
  })
})

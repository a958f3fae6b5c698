import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import fc from 'fast-check'
import type { MigrationInterface, QueryRunner } from 'typeorm'
import { bulkNulls, bulkRows, bulkText, bulkValue, textOf } from './bulk.js'
import { OUTBOX_WRITTEN } from './commit-signals.js'
import { Database } from './database.js'
import { migrate } from './migrate/migrate.js'
import { traceFrom, traceparentOf, withinTrace } from '@connectivity/service-kit/tracing'
import { outboxTable } from '@connectivity/testing/tables'
import { enqueue } from './outbox.js'
import { queryRows } from './query-rows.js'
import type { Transaction } from './transaction.js'

class Tables1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of ['CREATE TABLE note (text text)', outboxTable]) await runner.query(statement)
  }

  async down(): Promise<void> {}
}

class Broken1795000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE half (text text)')
    await runner.query('CREATE TABLE note (text text)')
  }

  async down(): Promise<void> {}
}

let server: TestDatabase
let database: Database
const options = () => ({ url: server.url, applicationName: 'test', migrations: [Tables1795000000000] })

beforeAll(async () => {
  server = await createDatabase()
  await migrate(options())
  database = new Database(options())
})
afterAll(async () => {
  await database.close()
  await server.drop()
})
beforeEach(() => database.query('TRUNCATE note, outbox RESTART IDENTITY'))

const notes = async () => (await database.query<{ text: string }>('SELECT text FROM note')).rows.map(({ text }) => text)
const note = (text: string) => database.transaction((tx) => tx.query('INSERT INTO note VALUES ($1)', [text]))

describe('migrations', () => {
  it('run once', async () => {
    await note('kept')
    await migrate(options())
    expect(await notes()).toEqual(['kept'])
  })

  it('leave nothing behind when they fail', async () => {
    const broken = { ...options(), migrations: [Tables1795000000000, Broken1795000000001] }
    await expect(migrate(broken)).rejects.toThrow('already exists')
    expect((await database.query(`SELECT to_regclass('half') AS half`)).rows).toEqual([{ half: null }])
  })
})

describe('a transaction', () => {
  it('commits, or rolls back with the error of its work', async () => {
    await note('a')
    const failing = database.transaction(async (tx) => {
      await tx.query(`INSERT INTO note VALUES ('b')`)
      throw new Error('of the work')
    })
    await expect(failing).rejects.toThrow('of the work')
    expect(await notes()).toEqual(['a'])
  })

  it('gives up on a lock after a second', async () => {
    await note('a')
    await database.transaction(async (tx) => {
      await tx.query('SELECT 1 FROM note FOR UPDATE')
      const waiting = database.transaction((other) => other.query('SELECT 1 FROM note FOR UPDATE'))
      await expect(waiting).rejects.toMatchObject({ code: '55P03' })
    })
  })

  it('fails when its session ends, and the next ones succeed', async () => {
    for (let time = 0; time < 10; time++) {
      const ended = database.transaction(async (tx) => {
        const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        await database.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid])
        await tx.query('SELECT pg_sleep(5)')
      })
      await expect(ended).rejects.toThrow()
    }
    await note('fine')
    expect(await notes()).toEqual(['fine'])
  })

  it('signals outbox messages only after the commit', async () => {
    let signals = 0
    const stopListening = database.onCommit(OUTBOX_WRITTEN, () => signals++)
    const write = (fail: boolean) =>
      database.transaction((tx) => {
        enqueue(tx, [{ topic: 't', key: 'k', value: 'v' }])
        expect(signals).toBe(0)
        if (fail) throw new Error('rolled back')
      })
    await expect(write(true)).rejects.toThrow('rolled back')
    await note('nothing for the outbox')
    expect(signals).toBe(0)
    await write(false)
    expect(signals).toBe(1)
    stopListening()
    await database.transaction((tx) => enqueue(tx, [{ topic: 't', key: 'k', value: 'v' }]))
    expect(signals).toBe(1)
  })
})

describe('a session for transactions', () => {
  it('refuses to write before BEGIN took effect, and after the transaction ended early', async () => {
    const endingEarly = database.transaction(async (tx) => {
      tx.defer('COMMIT')
      await tx.query(`INSERT INTO note VALUES ('by itself')`)
    })
    await expect(endingEarly).rejects.toMatchObject({ code: '25006' })
    expect(await notes()).toEqual([])
    await note('fine')
    expect(await notes()).toEqual(['fine'])
  })
})

describe('a transaction that has ended', () => {
  it('refuses further statements: its client may be in another transaction', async () => {
    const tx = await database.transaction(async (open) => {
      await open.entities()
      return open
    })
    const refused = 'the transaction has ended'
    expect(() => tx.query('SELECT 1')).toThrow(refused)
    expect(() => tx.defer('SELECT 1')).toThrow(refused)
    expect(() => tx.entities()).toThrow(refused)
  })
})

describe('entities in a transaction', () => {
  it('share its client, and are undone with it', async () => {
    const failing = database.transaction(async (tx) => {
      await tx.query(`INSERT INTO note VALUES ('by statement')`)
      const entities = await tx.entities()
      expect(await entities.query('SELECT text FROM note')).toEqual([{ text: 'by statement' }])
      await entities.query(`INSERT INTO note VALUES ('by entities')`)
      expect((await tx.query('SELECT 1 FROM note')).rowCount).toBe(2)
      throw new Error('of the work')
    })
    await expect(failing).rejects.toThrow('of the work')
    expect(await notes()).toEqual([])
  })

  it('are committed with it, without transactions of their own', async () => {
    await database.transaction(async (tx) => {
      const entities = await tx.entities()
      await entities.createQueryBuilder().insert().into('note').values({ text: 'kept' }).execute()
    })
    expect(await notes()).toEqual(['kept'])
  })
})

describe('a session', () => {
  const limits = ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout']
  const limitsIn = async (show: (text: string) => Promise<unknown>) =>
    JSON.stringify(
      await Promise.all(limits.map((name) => show(`SELECT '${name} ' || current_setting('${name}') AS is`))),
    )

  it('limits the time of statements, locks and idle transactions, through entities too', async () => {
    const entities = await database.entities()
    const ofEntities = await limitsIn((text) => entities.query(text))
    const ofStatements = await limitsIn(async (text) => (await database.query(text)).rows)
    const ofTransactions = await database.transaction((tx) => limitsIn(async (text) => (await tx.query(text)).rows))
    for (const limit of ['statement_timeout 30s', 'idle_in_transaction_session_timeout 10s', 'lock_timeout 1s']) {
      for (const session of [ofEntities, ofStatements, ofTransactions]) expect(session).toContain(limit)
    }
  })
})

describe('a deferred statement', () => {
  const write = (tx: Transaction, text: string) => tx.defer({ text: 'INSERT INTO note VALUES ($1)', values: [text] })
  const fail = (tx: Transaction) => tx.defer('SELECT 1 / 0')
  const DIVISION = { code: '22012' }

  it('runs in the transaction, in its order', async () => {
    await database.transaction(async (tx) => {
      write(tx, 'a')
      await tx.query(`INSERT INTO note SELECT text || 'b' FROM note`)
      write(tx, 'c')
    })
    expect(await notes()).toEqual(['a', 'ab', 'c'])
  })

  it('undoes everything when it fails, and its error is thrown', async () => {
    const last = database.transaction((tx) => {
      write(tx, 'before')
      fail(tx)
      write(tx, 'after')
    })
    await expect(last).rejects.toMatchObject(DIVISION)
    const amid = database.transaction(async (tx) => {
      fail(tx)
      await tx.query('SELECT 1')
    })
    await expect(amid).rejects.toMatchObject(DIVISION)
    expect(await notes()).toEqual([])
  })

  it('does not fail the next transaction', async () => {
    await expect(database.transaction(fail)).rejects.toMatchObject(DIVISION)
    const next = database.transaction(() => {
      throw new Error('of the work')
    })
    await expect(next).rejects.toThrow('of the work')
  })

  it('can be awaited', async () => {
    await database.transaction(async (tx) => {
      await tx.query('SAVEPOINT work')
      fail(tx)
      await expect(tx.flush()).rejects.toMatchObject(DIVISION)
      await tx.query('ROLLBACK TO SAVEPOINT work')
      write(tx, 'after')
    })
    expect(await notes()).toEqual(['after'])
  })
})

describe('the outbox', () => {
  it('keeps the trace of the request that causes a message', async () => {
    const write = () => database.transaction((tx) => enqueue(tx, [{ topic: 't', key: 'k', value: '{}' }]))
    await write()
    const trace = traceFrom(undefined)
    await withinTrace(trace, write)
    const { rows } = await database.query<{ headers: string | null }>('SELECT headers FROM outbox ORDER BY id')
    const traceparent = traceparentOf(trace)
    expect(rows.map(({ headers }) => headers && JSON.parse(headers))).toEqual([null, { traceparent }])
  })

  it('keeps messages in the order given, byte for byte', async () => {
    const messages = ['{"b":"é😀"}', '{"a":1}', '""', '{"c":"\\u001f"}'].map((value, index) => ({
      topic: 't',
      key: `k${index % 2}`,
      value,
    }))
    await database.transaction((tx) => enqueue(tx, messages))
    expect((await database.query('SELECT topic, key, value FROM outbox ORDER BY id')).rows).toEqual(messages)
  })
})

describe('bulk parameters', () => {
  const text = fc.string({ unit: 'binary', minLength: 1 }).map((value) => value.replace(/[\p{Cs}\p{Cc}]/gu, '') || '-')

  it('arrive unchanged', async () => {
    const row = fc.tuple(
      text,
      fc.option(text),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.option(fc.boolean()),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (given) => {
        const rows = await queryRows(database, {
          text: `SELECT * FROM ${bulkRows(['text', 'text', 'integer', 'boolean'])} AS given (a, b, c, d)`,
          values: [0, 1, 2, 3].map((column) => bulkValue(given.map((values) => values[column]!))),
        })
        expect(rows).toEqual(given)
      }),
    )
  })

  it('are nulls alone', () => {
    for (const count of [0, 1, 3]) expect(bulkNulls(count)).toBe(bulkValue(Array<null>(count).fill(null)))
  })

  it('carry free texts, also empty ones and ones with separators', async () => {
    const free = fc.option(fc.string({ unit: 'binary' }).map((value) => value.toWellFormed().replaceAll('\0', '')))
    const texts = fc.array(fc.oneof(free, fc.constantFrom('', '\x1e', '\x1f', 'null', '"')), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        const rows = await queryRows(database, {
          text: `SELECT ${textOf('free')} FROM ${bulkRows(['json'])} AS given (free)`,
          values: [bulkText(given)],
        })
        expect(rows).toEqual(given.map((value) => [value]))
      }),
    )
  })
})

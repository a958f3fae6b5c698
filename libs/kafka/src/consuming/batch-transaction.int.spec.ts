import { ContractViolation } from '@connectivity/contracts/contract-violation'
import type { Database } from '@connectivity/database'
import { messages } from '@connectivity/testing/messages'
import { applied, createServiceDatabase, topic, writeApplied } from '../../test/fixture.js'
import { applyIsolated } from '../../test/apply-isolated.js'
import { applyBatch, type BatchHandler } from './batch-transaction.js'
import type { ConsumedMessage, DeadLetter } from './topic-batch.js'

const fence = { group: 'test', topic, partition: 3 }
const write = writeApplied('key')

let database: Database
let drop: () => Promise<void>

beforeAll(async () => ({ database, drop } = await createServiceDatabase()))
afterAll(() => drop())
beforeEach(() => database.query('TRUNCATE applied, outbox, consumed_offset, dead_letter RESTART IDENTITY'))

const rowsOf = async (table: string) => (await database.query(`SELECT * FROM ${table} ORDER BY 1`)).rows
const position = async () => (await rowsOf('consumed_offset'))[0]?.next_offset as string | undefined

describe('a batch', () => {
  it('takes effect once, however often it is delivered', async () => {
    const batch = messages(['a', 'b', 'c'], 5n)
    for (let time = 0; time < 3; time++) await applyBatch(database, fence, batch, write)
    expect(await applied(database)).toEqual(['a', 'b', 'c'])
    expect(await position()).toBe('8')
  })

  it('skips messages that have already taken effect', async () => {
    await applyBatch(database, fence, messages(['a', 'b']), write)
    await applyBatch(database, fence, messages(['a', 'b', 'c', 'd']), write)
    expect(await applied(database)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('writes nothing when it comes from a zombie behind the fence', async () => {
    await applyBatch(database, fence, messages(['a', 'b']), write)
    const committed: string[] = []
    const writeAgain: BatchHandler = async (batch) => {
      await write(batch)
      batch.deadLetter(batch.messages[0]!, 'too late')
      batch.tx.afterCommit(() => committed.push('handled'))
    }
    expect(await applyBatch(database, fence, messages(['a', 'b']), writeAgain)).toEqual([])
    expect(await applied(database)).toEqual(['a', 'b'])
    expect(await rowsOf('dead_letter')).toEqual([])
    expect(committed).toEqual([])
    expect(await position()).toBe('2')
  })

  it('behind the fence does not count as faulty', async () => {
    await applyBatch(database, fence, messages(['a', 'b']), write)
    const fail: BatchHandler = async (batch) => {
      if (batch.messages.length > 1) throw new TypeError('two at once')
      await write(batch)
    }
    expect(await applyIsolated(database, fence, messages(['a', 'b', 'c']), fail)).toEqual([])
    expect(await applied(database)).toEqual(['a', 'b', 'c'])
  })

  it('takes effect once when two members apply it at once', async () => {
    const batch = messages(['a', 'b'])
    await Promise.all([1, 2, 3, 4].map(() => applyBatch(database, fence, batch, write)))
    expect(await applied(database)).toEqual(['a', 'b'])
  })

  it('gives up after a second while another member holds the fence', async () => {
    let release!: () => void
    const held = new Promise<void>((resolve) => (release = resolve))
    let taken!: () => void
    const isHeld = new Promise<void>((resolve) => (taken = resolve))
    const slow = applyBatch(database, fence, messages(['a']), async (batch) => {
      await write(batch)
      taken()
      await held
    })
    await isHeld
    await expect(applyBatch(database, fence, messages(['a']), write)).rejects.toMatchObject({ code: '55P03' })
    release()
    await slow
    await applyBatch(database, fence, messages(['a']), write)
    expect(await applied(database)).toEqual(['a'])
  })

  it('writes nothing when its handler fails', async () => {
    const fail: BatchHandler = async (batch) => {
      await write(batch)
      throw new Error('not now')
    }
    await expect(applyIsolated(database, fence, messages(['a', 'b']), fail)).rejects.toThrow('not now')
    expect(await applied(database)).toEqual([])
    expect(await position()).toBeUndefined()
    expect(await rowsOf('dead_letter')).toEqual([])
  })
})

describe('a message that cannot be used', () => {
  const bad: [string, (message: ConsumedMessage) => unknown][] = [
    ['a PostgreSQL data error', () => Object.assign(new Error('value out of range'), { code: '22003' })],
    ['a violated constraint', () => Object.assign(new Error('duplicate key'), { code: '23505' })],
    ['a violated check', () => Object.assign(new Error('not allowed'), { code: '23514', constraint: 'applied_check' })],
    ['a TypeError', () => new TypeError('undefined is not a function')],
    ['a SyntaxError', () => new SyntaxError('unexpected token')],
    ['a broken contract', () => new ContractViolation('/data/id', 'is required')],
  ]

  it.each(bad)('is set aside because of %s, and its neighbours take effect', async (_name, errorFor) => {
    const values = Array.from({ length: 100 }, (_, index) =>
      index === 37 || index === 99 ? `bad ${index}` : `${index}`,
    )
    let calls = 0
    await applyIsolated(database, fence, messages(values), async (batch) => {
      calls++
      await write(batch)
      const message = batch.messages.find(({ value }) => value.toString().startsWith('bad'))
      if (message) throw errorFor(message)
    })
    expect(calls).toBeLessThan(40)
    expect(await applied(database)).toEqual(values.filter((value) => !value.startsWith('bad')))
    expect(await position()).toBe('100')
    const set = (await rowsOf('dead_letter')) as { message_offset: string; reason: string; value: Buffer }[]
    expect(set.map(({ message_offset, value }) => [message_offset, `${value}`])).toEqual([
      ['37', 'bad 37'],
      ['99', 'bad 99'],
    ])
    expect(set[0]!.reason).toMatch(/^cannot be processed: /)
  })

  it('is reported as set aside even if the database then fails at its neighbour', async () => {
    const letters: DeadLetter[] = []
    const fail: BatchHandler = async (batch) => {
      if (batch.messages[0]!.offset === 0n) throw new TypeError('wrong')
      throw Object.assign(new Error('could not serialize access'), { code: '40001' })
    }
    const applying = applyIsolated(database, fence, messages(['x', 'b']), fail, letters)
    await expect(applying).rejects.toMatchObject({ code: '40001' })
    expect(letters.map(({ message }) => message.offset)).toEqual([0n])
    expect(await rowsOf('dead_letter')).toHaveLength(1)
  })

  it('is set aside after a real data error of PostgreSQL', async () => {
    await applyIsolated(database, fence, messages(['1', 'x', '3']), async ({ messages: given, tx }) => {
      for (const { value } of given) await tx.query('INSERT INTO applied (message_offset) VALUES ($1)', [`${value}`])
    })
    expect(await applied(database, 'message_offset')).toEqual(['1', '3'])
    expect(await rowsOf('dead_letter')).toMatchObject([{ message_offset: '1' }])
  })

  it('is stored and sent with its original bytes', async () => {
    const invalidUtf8 = Buffer.from([0xff, 0xfe, 0x00, 0x1e, 0x1f])
    const given: ConsumedMessage[] = [
      { offset: 1n, key: Buffer.from('not json'), value: Buffer.from('not json') },
      { offset: 2n, key: null, value: invalidUtf8 },
      { offset: 3n, key: invalidUtf8, value: Buffer.alloc(0) },
      { offset: 4n, key: Buffer.alloc(0), value: Buffer.from(' ') },
    ]
    for (const message of given) {
      await applyBatch(database, fence, [message], async (batch) => batch.deadLetter(message, 'is \0 bad'))
    }
    const stored = (await rowsOf('dead_letter')) as { message_offset: string; key: Buffer | null; value: Buffer }[]
    expect(stored.map(({ message_offset, key, value }) => ({ offset: BigInt(message_offset), key, value }))).toEqual(
      given,
    )
    expect((await rowsOf('outbox')).map(({ topic: to, headers }) => [to, JSON.parse(headers as string)])).toEqual(
      given.map(({ offset }) => [
        `${topic}.dlq`,
        { reason: 'is   bad', 'source-topic': topic, 'source-partition': '3', 'source-offset': `${offset}` },
      ]),
    )
  })

  it('is set aside and sent once when it is read again from the beginning', async () => {
    const setAside: BatchHandler = async (batch) => batch.deadLetter(batch.messages[0]!, 'bad')
    await applyBatch(database, fence, messages(['x']), setAside)
    await database.query('DELETE FROM consumed_offset')
    await applyBatch(database, fence, messages(['x']), setAside)
    expect(await rowsOf('dead_letter')).toHaveLength(1)
    expect(await rowsOf('outbox')).toHaveLength(1)
  })
})

describe('a transient fault', () => {
  it.each(['40001', '40P01', '55P03', '57P01', '53300', '08006'])('(%s) never makes a dead letter', async (code) => {
    const fail: BatchHandler = async () => {
      throw Object.assign(new Error('not now'), { code })
    }
    await expect(applyIsolated(database, fence, messages(['a']), fail)).rejects.toMatchObject({ code })
    expect(await rowsOf('dead_letter')).toEqual([])
  })

  it('such as a missing partition makes no dead letter', async () => {
    await database.query('CREATE TABLE weekly (week integer) PARTITION BY LIST (week)')
    const insert: BatchHandler = async ({ tx }) => void (await tx.query('INSERT INTO weekly VALUES (1)'))
    await expect(applyIsolated(database, fence, messages(['a', 'b']), insert)).rejects.toMatchObject({ code: '23514' })
    expect(await rowsOf('dead_letter')).toEqual([])
  })

  it('such as a session ended by the server makes no dead letter and leaves the pool usable', async () => {
    const end: BatchHandler = async ({ tx }) => {
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await database.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid])
      await tx.query('SELECT pg_sleep(5)')
    }
    await expect(applyIsolated(database, fence, messages(['a']), end)).rejects.toThrow()
    await applyIsolated(database, fence, messages(['a']), write)
    expect(await applied(database)).toEqual(['a'])
    expect(await rowsOf('dead_letter')).toEqual([])
  })
})

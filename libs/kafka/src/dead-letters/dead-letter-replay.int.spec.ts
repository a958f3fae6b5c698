import { randomUUID } from 'node:crypto'
import { jest } from '@jest/globals'
import type { DeadLetter } from '@connectivity/contracts/dead-letters'
import { ContractViolation } from '@connectivity/contracts/contract-violation'
import { parseOperatorChange } from '@connectivity/contracts/operator-changes'
import { type Database, readFences } from '@connectivity/database'
import { Health } from '@connectivity/service-kit/service'
import { eventually } from '@connectivity/testing/eventually'
import { LOCK_WAITS } from '@connectivity/testing/lock-waits'
import { idempotencyTable } from '@connectivity/testing/tables'
import type { FastifyRequest } from 'fastify'
import { applied, createServiceDatabase, logger, topic } from '../../test/fixture.js'
import { BatchConsumer } from '../consuming/batch-consumer.js'
import { applyIsolated } from '../../test/apply-isolated.js'
import type { BatchHandler } from '../consuming/batch-transaction.js'
import { DeadLetterGauge } from './dead-letter-gauge.js'
import { DeadLetterReplay } from './dead-letter-replay.service.js'
import { DeadLetterStore } from './dead-letter.store.js'
import { presentDeadLetter, presentWholeLetter } from './dead-letter.view.js'
import { InstanceName } from '../broker/instance-name.js'
import { openDeadLetters } from '../broker/kafka-metrics.js'
import type { TopicBatch } from '../consuming/topic-batch.js'

const options = { brokers: ['127.0.0.1:9'], service: 'catalog', group: 'catalog', instance: 'test' }
const other = 'connectivity.catalogs.v1'

let database: Database
let drop: () => Promise<void>
let letters: DeadLetterStore
let replays: DeadLetterReplay
let handle: BatchHandler
let offset = 0n

beforeAll(async () => {
  const created = await createServiceDatabase()
  database = created.database
  drop = created.drop
  await database.query(idempotencyTable)
  const name = new InstanceName(options, logger, database)
  const consumer = new BatchConsumer(options, logger, database, name, new Health())
  for (const each of [topic, other]) consumer.addHandler(each, (batch: TopicBatch) => handle(batch), true)
  letters = new DeadLetterStore(database)
  replays = new DeadLetterReplay(database, letters, consumer, options, logger)
})
afterAll(() => drop())
beforeEach(async () => {
  await database.query('TRUNCATE applied, outbox, dead_letter, consumed_offset, idempotent_answer')
  handle = works
})

const works: BatchHandler = async ({ messages, tx }) => {
  for (const { offset, key, value } of messages)
    await tx.query('INSERT INTO applied (message_offset, key, value) VALUES ($1, $2, $3)', [
      offset,
      `${key}`,
      `${value}`,
    ])
}
/** Writes, and then sets aside or fails. */
const setsAside =
  (reason: string): BatchHandler =>
  async (batch) => {
    for (const message of batch.messages) batch.deadLetter(message, reason)
  }
const fails =
  (error: Error): BatchHandler =>
  async (batch) => {
    await works(batch)
    throw error
  }

const fenceOf = (name: string) => ({ group: 'catalog', topic: name, partition: 0 })
/** One message that cannot be used. */
async function setAside(value = 'bad', { on = topic as string, key = Buffer.from('con_1') as Buffer | null } = {}) {
  const message = { offset: offset++, key, value: Buffer.from(value) }
  await applyIsolated(database, fenceOf(on), [message], setsAside('is bad'))
  return (await list()).find((letter) => BigInt(letter.offset) === message.offset)!
}
const list = async (filter = {}, page = {}) => {
  const found = await letters.list({ state: 'open', ...filter }, { limit: 10, after: null, ...page })
  return found.map((letter) => presentDeadLetter('catalog', letter))
}
const request = (key?: string) =>
  ({
    method: 'POST',
    url: '/x',
    raw: { rawHeaders: key === undefined ? [] : ['Idempotency-Key', key] },
    caller: { partner: null, operator: { subject: 'olga', method: 'POST', path: '/x', correlation_id: 'abcdefgh' } },
    server: { proveOperatorChange: () => ({ service: 'catalog', proofs: [] }) },
  }) as unknown as FastifyRequest
const replay = ({ id }: DeadLetter, key?: string) => replays.replay(request(key), id, 'mended')
const now = async ({ id }: DeadLetter) => presentWholeLetter('catalog', (await letters.find(id))!)
/** Transactions of this database that wait for another one. */
async function waitingForLocks(): Promise<number> {
  const { rows } = await database.query(LOCK_WAITS)
  return rows.length
}
async function audited() {
  const { rows } = await database.query<{ value: string }>(
    `SELECT value FROM outbox WHERE topic = 'connectivity.operator-changes.v1' ORDER BY id`,
  )
  return rows.map(({ value }) => parseOperatorChange(Buffer.from(value)).entry)
}

describe('dead letters', () => {
  it('are shown as received, with the reason', async () => {
    const letter = await setAside('{"half')
    expect(letter).toEqual({
      id: expect.stringMatching(/^dl_[0-9a-f]{12}7[0-9a-f]{19}$/),
      service: 'catalog',
      topic,
      partition: 0,
      offset: Number(offset - 1n),
      key: 'con_1',
      reason: 'is bad',
      state: 'open',
      received_at: expect.stringMatching(/\.\d{3}Z$/),
      attempts: 1,
    })
    const value_base64 = Buffer.from('{"half').toString('base64')
    expect(await now(letter)).toEqual({ ...letter, value_base64 })
    for (const id of [`dl_${'0'.repeat(32)}`, '1', 'dl_\0', "'"]) expect(await letters.find(id)).toBeNull()
  })

  it('show a key that is not text by its bytes, and a missing one as null', async () => {
    expect((await setAside('a', { key: Buffer.from([0xff, 0x00]) })).key).toBe('base64:/wA=')
    expect((await setAside('b', { key: null })).key).toBeNull()
  })

  it('are listed newest first, a page at a time, by topic and state', async () => {
    const made: DeadLetter[] = []
    for (const on of [topic, other, topic]) made.push(await setAside('x', { on }))
    const newestFirst = made.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    expect(newestFirst.map(({ received_at }) => received_at)).toEqual(
      made
        .map(({ received_at }) => received_at)
        .toSorted()
        .reverse(),
    )
    expect(await list()).toEqual(newestFirst)
    // One more than requested, which shows that there are more.
    expect(await list({}, { limit: 1, after: newestFirst[0]!.id })).toEqual(newestFirst.slice(1))
    expect(await list({ topic: other })).toEqual([made[1]])
    expect(await list({ state: 'replayed' })).toEqual([])
  })

  it('are counted by key and, for the metrics, by topic while they are open', async () => {
    await setAside('a')
    await setAside('b', { key: Buffer.from('prop_é') })
    await setAside('c', { key: Buffer.from([0xff]) })
    await replay(await setAside('d'))
    expect(await letters.openByKey(['con_1', 'prop_é', 'none', 'a\0'])).toEqual(
      new Map([
        ['con_1', 1],
        ['prop_é', 1],
      ]),
    )
    new DeadLetterGauge(letters, logger).onModuleInit()
    const { values } = await openDeadLetters.get()
    expect(values).toEqual([{ labels: { topic }, value: 3 }])
  })
})

describe('a replay', () => {
  it('hands over the bytes, with state and audit in one transaction, and leaves the position alone', async () => {
    const letter = await setAside('mended by now')
    const before = await readFences(database, 'catalog')
    const answer = await replay(letter)
    expect(answer.status).toBe(202)
    expect(JSON.parse(answer.body)).toEqual({ schema_version: '1.0.0', ...letter, state: 'replayed' })
    expect(await applied(database)).toEqual(['mended by now'])
    expect(await applied(database, 'message_offset')).toEqual([String(letter.offset)])
    expect(await now(letter)).toMatchObject({ state: 'replayed', attempts: 1 })
    expect(await readFences(database, 'catalog')).toEqual(before)
    expect(await audited()).toMatchObject([
      {
        actor: 'olga',
        action: 'dead_letter.replay',
        subject: letter.id,
        reason: 'mended',
        before: letter,
        after: { ...letter, state: 'replayed' },
        correlation_id: 'abcdefgh',
      },
    ])
  })

  it.each([
    ['sets it aside again', setsAside('is still bad'), 'is still bad'],
    ['throws an error', fails(new TypeError('no such field')), 'cannot be processed: no such field'],
    ['finds that it breaks the contract', fails(new ContractViolation('/data', 'is required')), /\/data is required/],
    ['causes a database error', async ({ tx }) => void (await tx.query(`SELECT 'Ada'::integer`)), /value not shown/],
  ] as [string, BatchHandler, string | RegExp][])('stays open when the handler %s', async (_how, handler, reason) => {
    const letter = await setAside()
    handle = handler
    expect((await replay(letter)).status).toBe(202)
    expect(await now(letter)).toMatchObject({ state: 'open', attempts: 2, reason: expect.stringMatching(reason) })
    expect(await applied(database)).toEqual([])
    expect(await list()).toHaveLength(1)
    expect(await audited()).toMatchObject([{ before: { attempts: 1 }, after: { attempts: 2, state: 'open' } }])
    handle = works
    await replay(letter)
    expect(await now(letter)).toMatchObject({ state: 'replayed', attempts: 2 })
  })

  it('does after the commit what its handler asks for', async () => {
    const letter = await setAside()
    const done = jest.fn()
    handle = async (batch) => batch.tx.afterCommit(done)
    await replay(letter)
    expect(done).toHaveBeenCalledTimes(1)
  })

  it('takes effect once, however many at once', async () => {
    const letter = await setAside()
    // The first continues once another one is waiting for it.
    handle = async (batch) => {
      await eventually(async () => expect(await waitingForLocks()).toBeGreaterThan(0), { deadline: 500 })
      await works(batch)
    }
    const answers = await Promise.allSettled(Array.from({ length: 6 }, () => replay(letter)))
    const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
    expect(refusals).toHaveLength(5)
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'invalid_transition' })
    expect(await applied(database)).toHaveLength(1)
    expect(await audited()).toHaveLength(1)
  })

  it('has no effect when it is repeated with its key', async () => {
    const letter = await setAside()
    const first = await replay(letter, 'k')
    expect(await replay(letter, 'k')).toMatchObject({ status: 202, body: first.body, replayed: true })
    expect(await applied(database)).toHaveLength(1)
  })

  it('waits for the batch of its partition in progress', async () => {
    const letter = await setAside()
    let finish = () => undefined as void
    const message = { offset: offset++, key: null, value: Buffer.from('live') }
    let begun = false
    const live = applyIsolated(database, fenceOf(topic), [message], async (batch) => {
      begun = true
      await new Promise<void>((resolve) => (finish = resolve))
      await works(batch)
    })
    await eventually(() => expect(begun).toBe(true))
    const replayed = replay(letter)
    await eventually(async () => expect(await waitingForLocks()).toBeGreaterThan(0))
    finish()
    await Promise.all([live, replayed])
    expect(await applied(database)).toEqual(['live', 'bad'])
  })

  it('changes nothing on a transient fault', async () => {
    const letter = await setAside()
    let tries = 0
    handle = async (batch) => {
      tries++
      await fails(Object.assign(new Error('gone'), { code: '08006' }))(batch)
    }
    await expect(replay(letter)).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(tries).toBeGreaterThan(1)
    expect(await now(letter)).toMatchObject({ state: 'open', attempts: 1, reason: 'is bad' })
    expect([await applied(database), await audited()]).toEqual([[], []])
  })

  it('is refused for an unknown dead letter', async () => {
    for (const id of [`dl_${'0'.repeat(32)}`, '%'])
      await expect(replays.replay(request(), id, 'r')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a discarded dead letter', () => {
  it('is neither listed nor replayed nor discarded again', async () => {
    const letter = await setAside()
    const answer = await replays.discard(request(), letter.id, 'test data')
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([200, { id: letter.id, state: 'discarded' }])
    expect([await list(), await list({ state: 'discarded' })]).toMatchObject([[], [{ id: letter.id }]])
    await expect(replay(letter)).rejects.toMatchObject({ code: 'invalid_transition' })
    await expect(replays.discard(request(), letter.id, 'r')).rejects.toMatchObject({ code: 'invalid_transition' })
    expect(await audited()).toMatchObject([{ action: 'dead_letter.discard', reason: 'test data' }])
    expect(await applied(database)).toEqual([])
  })
})

describe('ids of dead letters', () => {
  it('never repeat', async () => {
    const messages = Array.from({ length: 200 }, () => ({
      offset: offset++,
      key: null,
      value: Buffer.from(randomUUID()),
    }))
    await applyIsolated(database, fenceOf(topic), messages, setsAside('x'))
    const ids = (await list({}, { limit: 300 })).map(({ id }) => id)
    expect(new Set(ids).size).toBe(200)
  })
})

import type { Database } from '@connectivity/database'
import { messages } from '@connectivity/testing/messages'
import { createServiceDatabase, topic } from '../../test/fixture.js'
import { applyBatch } from '../consuming/batch-transaction.js'
import { DeadLetterRetentionStore } from './dead-letter-retention.store.js'
import { DeadLetterStore, type StoredDeadLetter } from './dead-letter.store.js'
import { deleteFromOutbox, readOutbox } from '../outbox/outbox-rows.store.js'

describe('dead letters', () => {
  let database: Database
  let drop: () => Promise<void>
  beforeEach(async () => ({ database, drop } = await createServiceDatabase()))
  afterEach(() => drop())

  const store = () => new DeadLetterStore(database)
  const retention = () => new DeadLetterRetentionStore(database)
  const open = async (): Promise<StoredDeadLetter[]> => {
    const given = messages(['a', 'b', 'c', 'd'])
    await applyBatch(database, { group: 'test', topic, partition: 1 }, given, async (batch) => {
      for (const message of batch.messages) batch.deadLetter(message, 'bad')
    })
    const letters = await store().list({ state: 'open' }, { limit: 10, after: null })
    return letters.sort((a, b) => a.offset - b.offset)
  }
  const settle = (letter: StoredDeadLetter, state: StoredDeadLetter['state']) =>
    database.transaction((tx) => store().settle(tx, { ...letter, state }))
  const publishAll = async () => {
    const session = await database.session()
    await deleteFromOutbox(session, (await readOutbox(session)).rows)
    await session.end()
  }
  const age = (days: number) =>
    database.query(
      `UPDATE dead_letter SET received_at = received_at - $1 * interval '1 day',
      settled_at = settled_at - $1 * interval '1 day'`,
      [days],
    )
  const left = async () =>
    (await database.query<{ o: string }>('SELECT message_offset AS o FROM dead_letter ORDER BY 1')).rows.map(({ o }) =>
      Number(o),
    )

  it('are deleted 90 days after they were settled, and open ones stay', async () => {
    const [first, second, third] = await open()
    await publishAll()
    await settle(first!, 'discarded')
    await settle(third!, 'open')
    await age(10)
    await settle(second!, 'replayed')
    await age(81)
    await retention().purge(90)
    expect(await left()).toEqual([1, 2, 3])
    await age(10)
    await retention().purge(90)
    expect(await left()).toEqual([2, 3])
  })

  it('are deleted after a year if still open, unless their copy is not published yet', async () => {
    await open()
    await age(366)
    await retention().purgeOpen(365)
    expect(await left()).toEqual([0, 1, 2, 3])
    await publishAll()
    await age(-2)
    await retention().purgeOpen(365)
    expect(await left()).toEqual([0, 1, 2, 3])
    await age(2)
    await retention().purgeOpen(365)
    expect(await left()).toEqual([])
  })

  it('are deleted after a year together with a copy that no broker takes', async () => {
    await open()
    await age(366)
    await database.query(`UPDATE outbox SET parked_at = now() - interval '364 days'`)
    await retention().purgeOpen(365)
    expect(await left()).toEqual([0, 1, 2, 3])
    await database.query(`UPDATE outbox SET parked_at = parked_at - interval '2 days'`)
    await retention().purgeOpen(365)
    expect(await left()).toEqual([])
    expect((await database.query('SELECT FROM outbox')).rowCount).toBe(0)
  })

  it('stay until their copy is published', async () => {
    const [first] = await open()
    await settle(first!, 'discarded')
    await age(91)
    expect(await retention().purge(90)).toBe(0)
    await publishAll()
    expect(await retention().purge(90)).toBe(1)
  })

  it('count their days from the first purge when an older release has settled them', async () => {
    await open()
    await publishAll()
    await database.query(`UPDATE dead_letter SET state = 'discarded', received_at = now() - interval '1 year'`)
    expect(await retention().purge(90)).toBe(0)
    await age(91)
    expect(await retention().purge(90)).toBe(4)
  })

  it('stay for ever when no limit is configured', async () => {
    const [first] = await open()
    await publishAll()
    await settle(first!, 'discarded')
    await age(1_000)
    expect(await retention().purge(undefined)).toBe(0)
    expect(await retention().purgeOpen(undefined)).toBe(0)
    expect(await left()).toEqual([0, 1, 2, 3])
  })
})

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@connectivity/testing/eventually'
import type { ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { ari, useAri } from './ari-under-test.js'

useAri()

/** Longer than an answer of the session proves that the lock is held, ms. */
const FROZEN = 2_200

const write = (on: Client, key: string, id: string) =>
  on.query('INSERT INTO outbox (topic, key, value) VALUES ($1, $2, $3)', [
    'connectivity.ari-updates.v1',
    key,
    JSON.stringify({ id }),
  ])
const publishedOf = (key: string) => ari.published.filter((message) => message.key === key).map(({ event }) => event.id)

/** Freezes the relay that leads while PostgreSQL answers its read of `write`. @returns its session's pid */
async function freezeWhileItReads(writeMessage: (on: Client) => Promise<unknown>): Promise<number> {
  const holder = new Client({ connectionString: ari.databaseUrl })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE')
  await writeMessage(holder)
  const { pid } = await eventually(async () => {
    const { rows } = await ari.sql.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND query LIKE '%FROM outbox WHERE parked_at IS NULL ORDER BY id%'`,
    )
    return rows[0] ?? Promise.reject(new Error('the relay does not read'))
  })
  process.kill(ari.service.pid, 'SIGSTOP')
  await holder.query('COMMIT')
  await holder.end()
  await eventually(async () => {
    const { rows } = await ari.sql.query(`SELECT state FROM pg_stat_activity WHERE pid = $1`, [pid])
    expect(rows).toEqual([{ state: 'idle' }])
  })
  return pid
}

describe('the relay that leads', () => {
  let other: ServiceProcess | undefined
  beforeEach(async () => {
    await other?.stop()
    await ari.service.stop()
    await ari.service.start()
    const key = randomUUID()
    await write(ari.sql, key, '1')
    await eventually(() => expect(publishedOf(key)).toEqual(['1']))
    other = await ari.startReplica()
  }, 60_000)
  afterEach(() => void process.kill(ari.service.pid, 'SIGCONT'))

  it('sends nothing late when it freezes between reading and sending, and loses its lock meanwhile', async () => {
    const key = randomUUID()
    const frozen = await freezeWhileItReads((on) => write(on, key, '1'))
    await ari.sql.query('SELECT pg_terminate_backend($1)', [frozen])
    await write(ari.sql, key, '2')
    await eventually(() => expect(publishedOf(key)).toEqual(['1', '2']))
    await delay(FROZEN)
    process.kill(ari.service.pid, 'SIGCONT')
    await eventually(() => expect(ari.service.log).toContain('outbox relay interrupted'))
    await write(ari.sql, key, '3')
    await eventually(() => expect(publishedOf(key)).toContain('3'))
    expect(publishedOf(key)).toEqual(['1', '2', '3'])
  })

  it('leaves its messages to another replica within seconds when it freezes', async () => {
    const key = randomUUID()
    process.kill(ari.service.pid, 'SIGSTOP')
    await write(ari.sql, key, '1')
    await eventually(() => expect(publishedOf(key)).toEqual(['1']), { deadline: 20_000 })
  })
})

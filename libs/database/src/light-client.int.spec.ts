import { Socket } from 'node:net'
import { setFlagsFromString, getHeapSpaceStatistics } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Pool } from 'pg'
import { LightClient, socketsEndingAfter } from './light-client.js'

let server: TestDatabase
beforeAll(async () => {
  server = await createDatabase()
})
afterAll(() => server.drop())

/** Runs `work` with a pool of light clients. */
async function withPool<T>(work: (pool: Pool) => Promise<T>, silence = 40_000): Promise<T> {
  const pool = new Pool({ connectionString: server.url, Client: LightClient, stream: socketsEndingAfter(silence) })
  pool.on('error', () => undefined)
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

describe('a query', () => {
  it.each([
    ['a text', ['SELECT 1 AS one']],
    ['a text with values', ['SELECT $1::integer AS one', [1]]],
    ['a statement', [{ text: 'SELECT $1::integer AS one', values: [1] }]],
    ['a statement and values', [{ text: 'SELECT $1::integer AS one' }, [1]]],
  ] as [string, [string, unknown[]?]][])('of %s is answered by promise and by callback', async (_name, given) => {
    await withPool(async (pool) => {
      const client = await pool.connect()
      const rows = [{ one: 1 }]
      expect((await client.query(...given)).rows).toEqual(rows)
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      ;(client.query as (...all: unknown[]) => void)(...given, (error: Error | null, result: { rows: unknown }) =>
        error ? reject(error) : resolve(result.rows),
      )
      expect(await promise).toEqual(rows)
      client.release()
    })
  })

  it('rejects with the error of the database, whose stack leads to the caller', async () => {
    await withPool(async (pool) => {
      const client = await pool.connect()
      const askInVain = async () => {
        await client.query('SELECT 1 / 0')
      }
      await expect(askInVain()).rejects.toMatchObject({
        code: '22012',
        stack: expect.stringContaining('askInVain'),
      })
      client.release()
    })
  })

  it('shares a packet with the others that are sent in the same turn of the event loop', async () => {
    let packets = 0
    class CountedSocket extends Socket {
      override _write(...write: Parameters<Socket['_write']>): void {
        packets += 1
        super._write(...write)
      }
      override _writev(...write: Parameters<NonNullable<Socket['_writev']>>): void {
        packets += 1
        super._writev!(...write)
      }
    }
    const config = { connectionString: server.url, pipeline: true, stream: () => new CountedSocket() }
    const client = new LightClient(config)
    await client.connect()
    packets = 0
    const ask = (n: number) => client.query({ name: 'ask', text: 'SELECT $1::integer AS n', values: [n] })
    const first = [ask(1), ask(2)]
    await Promise.resolve()
    const answers = await Promise.all([...first, ask(3)])
    expect([answers.map(({ rows }) => rows[0]), packets]).toEqual([[{ n: 1 }, { n: 2 }, { n: 3 }], 1])
    await ask(4)
    expect(packets).toBe(2)
    await client.end()
  })

  it('leaves nothing in the old generation of the heap', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
    const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size
    const grown = await withPool(async (pool) => {
      const client = await pool.connect()
      const answers = async (queries: number) => {
        for (let query = 0; query < queries; query++) {
          await client.query(`SELECT repeat('x', 1000) || i AS text FROM generate_series(1, 100) AS i`)
          if (query % 20 === 0) collect({ type: 'minor' })
        }
        collect({ type: 'minor' })
      }
      await answers(40)
      collect()
      const before = old()
      await answers(200)
      const after = old()
      client.release()
      return after - before
    })
    expect(grown).toBeLessThan(5_000_000)
  })
})

describe('a server that is silent', () => {
  it('is dropped after too long, and the next query uses another connection', async () => {
    await withPool(async (pool) => {
      await expect(pool.query('SELECT pg_sleep(20)')).rejects.toMatchObject({ code: 'ETIMEDOUT' })
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    }, 2_000)
  })

  it('is tolerated for short times', async () => {
    await withPool(async (pool) => {
      const client = await pool.connect()
      for (let time = 0; time < 3; time++) await client.query('SELECT pg_sleep(0.8)')
      client.release()
    }, 2_000)
  })
})

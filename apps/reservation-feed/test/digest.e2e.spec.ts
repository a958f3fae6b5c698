import { randomUUID } from 'node:crypto'
import type { DigestRow, DigestRows, FeedDigest, ProofAnswer } from '@connectivity/contracts/digest'
import { bucketOf, DigestSum } from '@connectivity/contracts/digest-sum'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { eventually } from '@connectivity/testing/eventually'
import { bookingLine } from '@connectivity/testing/events'
import { type FeedProcess, feedProcess } from './feed-process.js'

const ROWS = 60
const EPOCH = '1970-01-01T00:00:00.000Z'
const FAR = '9999-12-31T23:59:59.999Z'

let feed: FeedProcess
beforeAll(async () => {
  feed = await feedProcess()
})
afterAll(() => feed.end())

/** A connection with rows of its own; one of them is a problem. */
async function connectionWithRows() {
  const run = randomUUID().slice(0, 8)
  const [connectionId, propertyId] = [`con_${run}`, `prop_${run}`]
  const booking = (index: number, given: object = {}) => ({
    property_id: propertyId,
    reservation_id: `${run}-${index}`,
    ...(index === 3 && { accommodation: [bookingLine({ room_id: 'rm_nowhere' })] }),
    ...given,
  })
  await feed.announce({ connection_id: connectionId, property_id: propertyId })
  await feed.book(Array.from({ length: ROWS }, (_, index) => booking(index)))
  const held = async (): Promise<DigestRow[]> => {
    const rows: DigestRow[] = []
    for (let cursor = ''; ;) {
      const { page } = await feed.page(connectionId, `property_id=${connectionId}&limit=50${cursor}`)
      rows.push(...rowsOf(page))
      if (page.pagination.next_cursor === null) break
      cursor = `&cursor=${page.pagination.next_cursor}`
    }
    return rows.sort((a, b) => (a.updated_at < b.updated_at ? -1 : 1))
  }
  await eventually(async () => expect(await held()).toHaveLength(ROWS))
  const ask = <T>(path: string, query: string) =>
    feed.get(connectionId, `/reservations/digest${path}`, `property_id=${connectionId}${query}`) as Promise<{
      status: number
      body: T
    }>
  return {
    connectionId,
    booking,
    held,
    book: (...given: object[]) => feed.book(given),
    digest: async (query: string) => (await ask<FeedDigest>('', query)).body,
    refused: async (query: string, path = '') => (await ask<Refusal>(path, query)).body.error,
    rows: async (query: string) => (await ask<DigestRows>('/rows', query)).body,
    prove: async (claim: object, key?: string) =>
      (await feed.post(connectionId, '/reservations/proofs', { property_id: connectionId, ...claim }, key))
        .body as ProofAnswer,
  }
}

interface Refusal {
  error: { code: string; details?: { pointer: string; code: string }[] }
}

const rowsOf = ({ reservations, errors }: FeedPage): DigestRow[] => [
  ...reservations.map(({ reservation_id, updated_at }) => ({
    reservation_id,
    updated_at,
    kind: 'reservation' as const,
  })),
  ...errors.map(({ reservation_id, updated_at }) => ({ reservation_id, updated_at, kind: 'problem' as const })),
]

function digestOf(rows: readonly DigestRow[]): { rows: number; digest: string } {
  const sum = new DigestSum()
  for (const { updated_at, kind, reservation_id } of rows) sum.add(updated_at, kind, reservation_id)
  return { rows: sum.rows, digest: sum.digest() }
}

describe('GET /reservations/digest', () => {
  it('covers the rows up to the checkpoint, problems among them, and names those after it', async () => {
    const { connectionId, held, digest } = await connectionWithRows()
    const rows = await held()
    const checkpoint = rows[ROWS - 11]!.updated_at
    expect(await digest(`&checkpoint=${checkpoint}`)).toEqual({
      schema_version: '1.0.0',
      property_id: connectionId,
      checkpoint,
      ...digestOf(rows.slice(0, ROWS - 10)),
      moved: rows.slice(ROWS - 10).map(({ reservation_id }) => reservation_id),
      buckets: null,
    })
    expect(await digest(`&checkpoint=${EPOCH}`)).toMatchObject({ ...digestOf([]), moved: { length: ROWS } })
  })

  it('rounds a finer checkpoint down to the millisecond, accepts any zone, and echoes one that lies ahead', async () => {
    const { held, digest } = await connectionWithRows()
    const rows = await held()
    const checkpoint = rows[9]!.updated_at
    const ten = { checkpoint, ...digestOf(rows.slice(0, 10)) }
    expect(await digest(`&checkpoint=${checkpoint.replace('Z', '999999Z')}`)).toMatchObject(ten)
    expect(await digest(`&checkpoint=${checkpoint.replace('Z', '%2B00:00')}`)).toMatchObject(ten)
    expect(await digest(`&checkpoint=${FAR}`)).toMatchObject({ checkpoint: FAR, ...digestOf(rows), moved: [] })
  })

  it('groups by the digits of buckets, in ascending order', async () => {
    const { held, digest } = await connectionWithRows()
    const rows = await held()
    for (const [buckets, digits] of [
      [256, 2],
      [16, 1],
    ] as const) {
      const groups = Map.groupBy(rows, ({ reservation_id }) => bucketOf(reservation_id).slice(0, digits))
      const expected = [...groups].map(([bucket, of]) => ({ bucket, ...digestOf(of) }))
      const answer = await digest(`&checkpoint=${FAR}&buckets=${buckets}`)
      expect(answer.buckets).toEqual(expected.sort((a, b) => (a.bucket < b.bucket ? -1 : 1)))
    }
  })

  it.each([
    ['', 'checkpoint', 'missing'],
    ['&checkpoint=2026-11-20', 'checkpoint', 'malformed'],
    ['&checkpoint=1969-12-31T23:59:59Z', 'checkpoint', 'malformed'],
    ['&checkpoint=', 'checkpoint', 'empty'],
    [`&checkpoint=${EPOCH}&buckets=32`, 'buckets', 'unknown_value'],
    [`&checkpoint=${EPOCH}&buckets=016`, 'buckets', 'unknown_value'],
  ])('refuses %j', async (query, pointer, code) => {
    const body = (await feed.get('con_1', '/reservations/digest', `property_id=con_1${query}`)).body as Refusal
    expect(body.error).toMatchObject({ code: 'invalid_request', details: [{ pointer, code }] })
  })

  it('refuses a checkpoint after which more than 1,000 rows lie', async () => {
    const { connectionId, digest, refused, held } = await connectionWithRows()
    const last = (await held()).at(-1)!.updated_at
    const add = (from: number, to: number) =>
      feed.sql.query(
        `INSERT INTO feed_row (connection_id, reservation_id, stamp, kind, body)
         SELECT $1, 'more-' || i, $2::bigint + i, 'reservation', '{}' FROM generate_series($3::int, $4::int) i`,
        [connectionId, Date.parse(last), from, to],
      )
    await add(1, 1_000)
    const { moved } = await digest(`&checkpoint=${last}`)
    expect(moved).toEqual(Array.from({ length: 1_000 }, (_, index) => `more-${index + 1}`))
    await add(1_001, 1_001)
    expect(await refused(`&checkpoint=${last}`)).toMatchObject({ code: 'checkpoint_too_old' })
    expect((await digest(`&checkpoint=${FAR}`)).rows).toBe(ROWS + 1_001)
  })

  it('is 503 while the feed is being filled', async () => {
    const { connectionId } = await connectionWithRows()
    await feed.sql.query(`UPDATE feed_connection SET state = 'filling' WHERE connection_id = $1`, [connectionId])
    for (const path of ['', '/rows']) {
      const query = `property_id=${connectionId}&checkpoint=${FAR}&bucket=0`
      const { status, headers } = await feed.get(connectionId, `/reservations/digest${path}`, query)
      expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    }
  })
})

describe('GET /reservations/{reservation_id} of a problem', () => {
  it('names the stamp of the problem, which a digest lists', async () => {
    const { connectionId, held } = await connectionWithRows()
    const problem = (await held()).find(({ kind }) => kind === 'problem')!
    const path = `/reservations/${problem.reservation_id}`
    const { status, body } = await feed.get(connectionId, path, `property_id=${connectionId}`)
    expect(status).toBe(422)
    expect((body as Refusal).error).toMatchObject({
      code: 'accommodation_unresolved',
      details: [
        {
          pointer: '/accommodation/0/external_room_id',
          code: 'room_unknown',
          updated_at: problem.updated_at,
        },
      ],
    })
  })
})

describe('GET /reservations/digest/rows', () => {
  it('lists a bucket, and a group of 16, page by page by stamp', async () => {
    const { connectionId, held, rows } = await connectionWithRows()
    const all = await held()
    const bucket = bucketOf(all[5]!.reservation_id)
    for (const wanted of [bucket, bucket[0]!]) {
      const expected = all.filter(({ reservation_id }) => bucketOf(reservation_id).startsWith(wanted))
      const found: DigestRow[] = []
      for (let query = `&checkpoint=${FAR}&bucket=${wanted}&limit=1`; query !== '';) {
        const page = await rows(query)
        expect(page).toMatchObject({ property_id: connectionId, checkpoint: FAR, bucket: wanted })
        expect(page.pagination).toMatchObject({ limit: 1, count: page.rows.length })
        found.push(...page.rows)
        query = page.pagination.has_more ? `&cursor=${page.pagination.next_cursor}&limit=1` : ''
      }
      expect(found).toEqual(expected)
    }
  })

  it('leaves out rows after the checkpoint', async () => {
    const { held, rows } = await connectionWithRows()
    const all = await held()
    const { updated_at: checkpoint, reservation_id } = all[20]!
    const { rows: found } = await rows(`&checkpoint=${checkpoint}&bucket=${bucketOf(reservation_id)}`)
    expect(found.at(-1)).toEqual(all[20])
  })

  it('takes a cursor with the bucket and checkpoint that it holds, and with no other', async () => {
    const { held, rows, refused } = await connectionWithRows()
    const all = await held()
    const groups = Map.groupBy(all, ({ reservation_id }) => bucketOf(reservation_id)[0]!)
    const [bucket] = [...groups].find(([, of]) => of.length > 1)!
    const { pagination } = await rows(`&checkpoint=${FAR}&bucket=${bucket}&limit=1`)
    const cursor = `&cursor=${pagination.next_cursor}`
    expect((await rows(`${cursor}&checkpoint=${FAR}&bucket=${bucket}`)).rows).toEqual(groups.get(bucket)!.slice(1))
    const other = bucket === 'f' ? '0' : 'f'
    for (const beside of [`&bucket=${other}`, `&checkpoint=${EPOCH}`, '&limit=1x'])
      expect((await refused(cursor + beside, '/rows')).code).toMatch(/^invalid_(cursor|request)$/)
    expect(await refused(`&cursor=${pagination.next_cursor}x`, '/rows')).toMatchObject({ code: 'invalid_cursor' })
  })

  it.each([
    [`&bucket=0`, 'checkpoint'],
    [`&checkpoint=${EPOCH}`, 'bucket'],
    [`&checkpoint=${EPOCH}&bucket=0A`, 'bucket'],
    [`&checkpoint=${EPOCH}&bucket=000`, 'bucket'],
    [`&checkpoint=${EPOCH}&bucket=g`, 'bucket'],
    [`&checkpoint=${EPOCH}&bucket=0&limit=101`, 'limit'],
  ])('refuses %j', async (query, pointer) => {
    const body = (await feed.get('con_1', '/reservations/digest/rows', `property_id=con_1${query}`)).body as Refusal
    expect(body.error).toMatchObject({ code: 'invalid_request', details: [{ pointer }] })
  })
})

describe('POST /reservations/proofs', () => {
  it('matches the current feed, and is recorded once per key', async () => {
    const { connectionId, held, prove } = await connectionWithRows()
    const rows = await held()
    const checkpoint = rows.at(-1)!.updated_at
    const key = randomUUID()
    const proof = await prove({ checkpoint, ...digestOf(rows) }, key)
    expect(proof).toEqual({
      schema_version: '1.0.0',
      property_id: connectionId,
      checkpoint,
      result: 'match',
      proven_at: expect.stringMatching(/^20.*Z$/) as unknown,
    })
    expect(await prove({ checkpoint, ...digestOf(rows) }, key)).toEqual(proof)
  })

  it('matches the recent answer for the checkpoint, although the feed has changed since', async () => {
    const { held, digest, prove, book, booking } = await connectionWithRows()
    const rows = await held()
    const checkpoint = rows.at(-1)!.updated_at
    const answered = await digest(`&checkpoint=${checkpoint}`)
    await book(booking(0, { version: 2, guest_count: 7 }))
    await eventually(async () => expect((await digest(`&checkpoint=${checkpoint}`)).moved).toHaveLength(1))
    const claim = { checkpoint, rows: answered.rows, digest: answered.digest }
    expect(await prove(claim)).toMatchObject({ result: 'match' })
    await feed.sql.query(`UPDATE digest_answer SET answered_at = answered_at - interval '5 minutes'`)
    expect(await prove(claim)).toMatchObject({ result: 'differ', proven_at: null })
  })

  it('differs for another digest and for another number of rows', async () => {
    const { held, prove } = await connectionWithRows()
    const rows = await held()
    const checkpoint = rows.at(-1)!.updated_at
    const { digest } = digestOf(rows)
    const differs = { checkpoint, result: 'differ', proven_at: null }
    expect(await prove({ checkpoint, ...digestOf(rows.slice(1)) })).toMatchObject(differs)
    expect(await prove({ checkpoint, rows: ROWS - 1, digest })).toMatchObject(differs)
  })

  it('records a checkpoint after the last stamp as that stamp', async () => {
    const { held, digest, prove, book, booking } = await connectionWithRows()
    const rows = await held()
    const last = rows.at(-1)!.updated_at
    const ahead = '2999-01-01T00:00:00.000Z'
    const answered = await digest(`&checkpoint=${ahead}`)
    expect(await prove({ checkpoint: ahead, ...digestOf(rows) })).toMatchObject({ checkpoint: last, result: 'match' })
    await book(booking(0, { version: 2, guest_count: 7 }))
    await eventually(async () => expect((await held()).at(-1)!.updated_at > last).toBe(true))
    const claim = { checkpoint: ahead, rows: answered.rows, digest: answered.digest }
    expect(await prove(claim)).toMatchObject({ checkpoint: last, result: 'match' })
  })

  it('keeps the match for the latest checkpoint, and the last difference beside it', async () => {
    const { connectionId, held, prove } = await connectionWithRows()
    const rows = await held()
    const [early, late] = [rows[9]!.updated_at, rows.at(-1)!.updated_at]
    await prove({ checkpoint: late, ...digestOf(rows) })
    expect(await prove({ checkpoint: early, ...digestOf(rows.slice(0, 10)) })).toMatchObject({ result: 'match' })
    await prove({ checkpoint: early, ...digestOf([]) })
    const kept = await feed.sql.query(
      'SELECT result, checkpoint FROM proof WHERE connection_id = $1 ORDER BY result DESC',
      [connectionId],
    )
    expect(kept.rows).toEqual([
      { result: 'match', checkpoint: String(Date.parse(late)) },
      { result: 'differ', checkpoint: String(Date.parse(early)) },
    ])
  })

  it.each([
    ['checkpoint', { checkpoint: '2026-11-20' }],
    ['checkpoint', { checkpoint: '1969-12-31T23:59:59Z' }],
    ['rows', { rows: -1 }],
    ['rows', { rows: 1.5 }],
    ['rows', { rows: null }],
    ['digest', { digest: 'A'.repeat(64) }],
    ['digest', { digest: 'a'.repeat(63) }],
    ['surplus', { surplus: 1 }],
  ])('refuses a wrong %s: %j', async (field, spoilt) => {
    const body = { property_id: 'con_1', checkpoint: EPOCH, ...digestOf([]), ...spoilt }
    const { status, body: answer } = await feed.post('con_1', '/reservations/proofs', body)
    expect(status).toBe(400)
    expect((answer as Refusal).error).toMatchObject({
      code: 'invalid_request',
      details: [{ pointer: `/${field}` }],
    })
  })
})

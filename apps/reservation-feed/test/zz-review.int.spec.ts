import { bookingLine } from '@connectivity/testing/events'
import { catalog, catalogRoom, type FeedInProcess, feedInProcess } from './feed-in-process.js'
import { FeedHeadStore } from '../src/reservations/feed-head.store.js'
import { FeedRefresh } from '../src/connections/feed-refresh.service.js'
import { BookingStore } from '../src/reservations/booking.store.js'
import { FeedWriter } from '../src/reservations/feed-writer.service.js'
import { FeedRowStore } from '../src/reservations/feed-row.store.js'
import { ConnectionStore } from '../src/connections/connection.store.js'
import { setTimeout as delay } from 'node:timers/promises'

let feed: FeedInProcess
beforeEach(async () => { feed = await feedInProcess() })
afterEach(async () => { await feed.end().catch(() => undefined) })
const say = (...a: unknown[]) => process.stderr.write('ZZ ' + a.map((x) => (typeof x === 'string' ? x : JSON.stringify(x))).join(' ') + '\n')

it('D: cancellation hidden when another connection of the property has the older catalog', async () => {
  await feed.takeCatalogs(
    catalog({ catalog_version: 2, rooms: [catalogRoom('rm_double'), catalogRoom('rm_new')] }),
    catalog({ connection_id: 'con_2' }),
  )
  const line = bookingLine({ room_id: 'rm_new' })
  await feed.book([{ accommodation: [line] }])
  say('D before', (await feed.page('con_1')).reservations.length)
  await feed.book([{ version: 2, accommodation: [], status: 'cancelled' }])
  const p = await feed.page('con_1')
  say('D after', { res: p.reservations.map((r) => r.status), err: p.errors.map((e) => e.details) })
  await feed.takeCatalogs(catalog({ connection_id: 'con_2', catalog_version: 2, rooms: [catalogRoom('rm_double'), catalogRoom('rm_new')] }))
  feed.refresh.onApplicationBootstrap()
  await delay(1500)
  const q = await feed.page('con_1')
  say('D later', { res: q.reservations.map((r) => r.status), err: q.errors.length })
})

it('A: one reservation over two partitions', async () => {
  await feed.takeCatalogs(catalog())
  let lost = 0, hidden = 0
  for (let i = 0; i < 60; i++) {
    const id = `R${i}`
    await Promise.all([
      feed.book([{ reservation_id: id }], 0),
      feed.book([{ reservation_id: id, version: 2, status: 'cancelled', accommodation: i % 2 ? [] : [bookingLine()] }], 1),
    ])
    const { rows } = await feed.database.reads.query(`SELECT b.version, b.confirmed, b.kept is not null AS kept, r.kind, r.body FROM booking b LEFT JOIN feed_row r USING (reservation_id) WHERE reservation_id = $1`, [id])
    const row = rows[0]
    if (row.confirmed && (!row.body || (row.kind === 'reservation' && !row.body.includes('"cancelled":true')))) lost++
    if (row.confirmed && row.kind === 'problem') hidden++
  }
  say('A stale rows', lost, 'hidden', hidden)
})

it('BW: catalogs of one batch out of order', async () => {
  await feed.takeCatalogs(catalog({ catalog_version: 3 }), catalog({ catalog_version: 2 }))
  say('BW', (await feed.database.reads.query('SELECT catalog_version FROM feed_connection')).rows)
})

it('views evicted between load and use', async () => {
  await feed.takeCatalogs(catalog({ connection_id: 'con_a' }), catalog({ connection_id: 'con_b' }), catalog({ connection_id: 'con_c', property_id: 'prop_2' }))
  const store = new FeedHeadStore()
  const views = (store as any).views as Map<string, unknown>
  views.set('con_a', { catalogVersion: 1, view: {} })
  for (let i = 0; i < 4999; i++) views.set(`x${i}`, { catalogVersion: 1, view: {} })
  const call = (p: string) => feed.database.transaction((tx) => store.ofProperties(tx, [p])).then(() => 'ok', (e) => String(e))
  say('views', await Promise.all([call('prop_2'), call('prop_1')]), await Promise.all([call('prop_1'), call('prop_2')]))
})

it('refresh spins while the database is away', async () => {
  await feed.book(Array.from({ length: 4000 }, (_, i) => ({ reservation_id: `R${i}` })))
  await feed.takeCatalogs(catalog())
  let warns = 0
  const log = { warn: () => { warns++ }, info: () => undefined } as never
  const heads = new FeedHeadStore()
  const r = new FeedRefresh(feed.database, new ConnectionStore(), new BookingStore(), heads, new FeedWriter(heads, new FeedRowStore()), log)
  r.onApplicationBootstrap()
  await delay(150)
  const name = new URL((feed.database as any).options.url).pathname.slice(1)
  const pg = await import('pg')
  const admin = new pg.default.Client({ connectionString: process.env.DATABASE_URL })
  await admin.connect()
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [name])
  const cpu = process.cpuUsage()
  warns = 0
  await delay(3000)
  const used = process.cpuUsage(cpu)
  say('spin: warnings in 3 s', warns, 'cpu s', (used.user + used.system) / 1e6)
  await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  await admin.end()
  await delay(1500)
  await r.onModuleDestroy()
}, 30000)

it('three connections that always fail starve the others', async () => {
  await feed.book([{}, { property_id: 'prop_z', reservation_id: 'Z' }])
  await feed.takeCatalogs(...['con_1', 'con_2', 'con_3'].map((connection_id) => catalog({ connection_id })), catalog({ connection_id: 'con_z', property_id: 'prop_z' }))
  await feed.database.reads.query(`UPDATE feed_connection SET catalog = '{}' WHERE property_id = 'prop_1'`)
  let warns = 0
  const log = { warn: () => { warns++ }, info: () => undefined } as never
  const heads = new FeedHeadStore()
  const r = new FeedRefresh(feed.database, new ConnectionStore(), new BookingStore(), heads, new FeedWriter(heads, new FeedRowStore()), log)
  r.onApplicationBootstrap()
  await delay(3000)
  say('starve: con_z', (await feed.database.reads.query(`SELECT state FROM feed_connection WHERE connection_id = 'con_z'`)).rows, 'warnings', warns)
  await r.onModuleDestroy()
})

it('keepalives and statement timeouts of sessions', async () => {
  const s = await feed.database.session()
  for (const n of ['tcp_keepalives_idle', 'tcp_user_timeout', 'statement_timeout', 'client_connection_check_interval']) say(n, (await s.query(`SHOW ${n}`)).rows)
  say('locks', (await s.query('SHOW max_locks_per_transaction')).rows, (await s.query('SHOW max_connections')).rows)
  await s.end()
})

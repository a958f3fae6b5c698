import type { FastifyReply, FastifyRequest } from 'fastify'
import { Database } from '@connectivity/database/database'
import { migrate } from '@connectivity/database/migrate'
import { keepFigures } from '@connectivity/testing/figures'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { appendOnly, migrations } from '../src/migrations/migrations.js'
import { type PartnerRequest, resolvePartnerRequest } from '../src/http/partner-request.js'
import { EntryQueue } from '../src/request-log/entry-queue.js'
import { foldKeyOf, logEntryOf } from '../src/request-log/logged-request.js'
import { RequestLogStore } from '../src/request-log/request-log.store.js'

const BATCH = 1_000
const BATCHES = 60
/** Cost of an entry in units of the reference, which every machine slows down alike. */
const MOST = 60
const TARGET =
  '/api/connectivity/v1/reservations?property_id=con_01jd3v8m6qf0y4b7t2x9k5n1ha&updated_since=2026-11-20T10:15:30.123Z'

/** A page that a partner was served. */
function servedPage(index: number): PartnerRequest {
  const record = {
    route: null,
    code: null,
    message: null,
    details: undefined,
    storedAnswer: null,
    fields: { limit: 'feed', limit_remaining: 59 },
  }
  const http = {
    method: 'GET',
    originalUrl: TARGET,
    id: `req-${index}-${'x'.repeat(24)}`,
    headers: { 'x-service-timestamp': '1795240530' },
    record,
    raw: { socket: { remoteAddress: '127.0.0.1' } },
    ip: '127.0.0.1',
  } as unknown as FastifyRequest
  const partner = resolvePartnerRequest(http, {} as FastifyReply)
  return Object.assign(partner, {
    caller: { applicationId: 'app_1', type: 'signing' as const, keyId: 'key_1' },
    connectionId: 'con_01jd3v8m6qf0y4b7t2x9k5n1ha',
    answered: { page: '1795240530123 1795240540123 50', isEmpty: false, bytes: 60_000 },
  })
}

describe('an entry of the request log', () => {
  let database: TestDatabase
  let on: Database
  let store: RequestLogStore

  beforeAll(async () => {
    database = await createDatabase()
    await migrate(
      { url: database.url, applicationName: 'test', migrations },
      { role: database.serviceRole, appendOnly },
    )
    on = new Database({ url: database.serviceUrl, ca: '', applicationName: 'test', migrations } as never)
    store = new RequestLogStore(on)
  })
  afterAll(async () => {
    await on.close()
    await database.drop()
  })

  it('costs the gateway as much CPU as writing a few dozen of its texts: 3 µs on an idle machine', async () => {
    const queue = new EntryQueue(() => undefined)
    const partners = Array.from({ length: BATCH }, (_, index) => servedPage(index))
    const round = async () => {
      for (const partner of partners) queue.add(logEntryOf(partner, { status: 200, bytes: 0 }, foldKeyOf(partner, 200)))
      await store.write(queue.take(BATCH))
    }
    const reference = () => {
      for (const partner of partners) JSON.stringify(partner.answered)
      return Promise.resolve()
    }
    await cpuOf(round)
    await cpuOf(reference)
    const [entries, texts] = [await cpuOf(round), await cpuOf(reference)]
    const each = (cpu: number) => cpu / (BATCH * BATCHES)
    keepFigures('entry of the request log', { entry: each(entries), text: each(texts), unit: 'CPU µs' })
    expect(entries / texts).toBeLessThan(MOST)
  }, 60_000)
})

/** CPU time of this process while the work is repeated, µs. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const begin = process.cpuUsage()
  for (let batch = 0; batch < BATCHES; batch++) await work()
  const { user, system } = process.cpuUsage(begin)
  return user + system
}

import { Client } from 'pg'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Partner } from './partner.js'

/** Details that errors must not reveal: SQL, tables, addresses, files, stack frames, names of software. */
const INTERNAL =
  /\b(select|insert|relation|column)\b|postgres|127\.0\.0\.1|localhost|\.[jt]s\b|node_modules| {2,}at |\bnest|fastify/i

describe('internal errors', () => {
  const gateway = new GatewayUnderTest()
  let partner: Partner
  let sql: Client

  beforeAll(async () => {
    await gateway.start()
    partner = gateway.partner(
      await gateway.signingKey(await gateway.pilotConnection(await gateway.approvedApplication())),
    )
    sql = new Client({ connectionString: gateway.database.url })
    await sql.connect()
  })
  afterAll(async () => {
    await sql.end()
    await gateway.stop()
  })

  const untold = async (ask: () => ReturnType<Partner['get']>, status: number, code: string) => {
    const answer = await ask()
    expect(answer).toMatchObject({ status, json: { schema_version: '1.0.0', error: { code } } })
    expect(answer.text).not.toMatch(INTERNAL)
    expect(JSON.stringify(answer.headers)).not.toMatch(INTERNAL)
    expect(answer.headers).not.toHaveProperty('server')
    expect(answer.headers).not.toHaveProperty('x-powered-by')
  }

  it('reveal nothing about the cause', async () => {
    expect((await partner.get('/properties')).status).toBe(200)
    await sql.query('ALTER TABLE connection_activity RENAME TO lost')
    await sql.query('ALTER TABLE audit_entry RENAME TO also_lost')
    await untold(() => partner.get('/properties'), 500, 'internal_error')
    await untold(() => gateway.ops('GET', '/audit'), 500, 'internal_error')
  })

  it('reveal nothing about an unavailable database', async () => {
    gateway.databasePath.cut()
    await untold(() => partner.get('/properties'), 503, 'service_unavailable')
    await untold(() => gateway.ops('GET', '/applications'), 503, 'service_unavailable')
    gateway.databasePath.restore()
  })
})

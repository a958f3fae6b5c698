import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Database } from '@connectivity/database'
import { applyBatch } from '@connectivity/kafka/consuming'
import { GatewayUnderTest } from './gateway-under-test.js'

const script = fileURLToPath(new URL('../../../tools/ops/ops.ts', import.meta.url))
const reason = ['--reason', 'ticket 4711']

interface Outcome {
  code: number
  out: string
  err: string
}

describe('npm run ops', () => {
  const gateway = new GatewayUnderTest()
  const stateDir = mkdtempSync(join(tmpdir(), 'ops-'))
  let elsewhere: Record<string, string>

  beforeAll(async () => {
    await gateway.start()
    const token = await gateway.staff.token(['connectivity:operate'])
    const read_token = await gateway.staff.token(['connectivity:read'])
    elsewhere = { OPS_URL: gateway.privateOrigin, OPS_TOKEN: token }
    const ops = { base_url: `${gateway.privateOrigin}/ops/v1`, token, read_token }
    writeFileSync(join(stateDir, 'demo.json'), JSON.stringify({ ops }))
  })
  afterAll(async () => {
    rmSync(stateDir, { recursive: true })
    await gateway.stop()
  })

  const run = (args: string[], env: Record<string, string>): Promise<Outcome> =>
    new Promise((resolve) =>
      execFile(process.execPath, [script, ...args], { env: { PATH: process.env.PATH, ...env } }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      ),
    )
  const ops = (...args: string[]) => run(args, elsewhere)
  const local = (...args: string[]) => run(args, { STATE_DIR: stateDir })
  const created = async (...args: string[]) => JSON.parse((await ops(...args, ...reason, '--json')).out)
  const newApplication = () =>
    created(
      'applications',
      'create',
      '--name',
      'Demo PMS',
      '--contact-name',
      'Ada',
      '--contact-email',
      'ada@example.com',
    )
  const newConnection = (application: string, property: string) => {
    const ids = ['--application-id', application, '--source-property-id', property, '--external-property-id', 'P']
    return created('connections', 'create', ...ids, '--environment', 'sandbox')
  }

  it('onboards a partner from the first step to the last', async () => {
    const { application_id } = await newApplication()
    expect(await ops('applications', 'approve', application_id, ...reason)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^state +approved$/m),
    })
    expect((await ops('applications', 'limits', application_id, '--feed', '7/3', ...reason)).out).toMatch(
      /^limits\.feed\.per_minute +7\nlimits\.feed\.burst +3$/m,
    )
    const { property_id } = await newConnection(application_id, 'prop_1')
    expect((await ops('connections', 'transition', property_id, '--to', 'pilot', ...reason)).out).toMatch(
      /^state +pilot$/m,
    )
    const issued = await ops('credentials', 'create', property_id, '--type', 'signing', ...reason)
    const [, key_id] = /^key_id +(key_\w+)$/m.exec(issued.out)!
    const [, signing_secret] = /SECRET, shown this once.*\n +signing_secret +(\S{43})\n$/.exec(issued.out)!
    const partner = gateway.partner({ key_id: key_id!, signing_secret: signing_secret! })
    expect(await gateway.untilServed(() => partner.get('/properties'))).toMatchObject({
      json: { properties: [{ property_id }] },
    })
    const [, credential] = /^credential_id +(\w+)$/m.exec(issued.out)!
    expect((await ops('credentials', 'rotate', credential!, '--overlap-seconds', '0', ...reason)).out).toContain(
      'SECRET',
    )
    const listed = await ops('credentials', 'list', property_id)
    expect(listed.out).toContain(key_id)
    expect(listed.out).not.toContain('SECRET')
    expect((await ops('credentials', 'revoke', credential!, ...reason)).code).toBe(0)
    const audit = await ops('audit', 'list', '--subject', application_id)
    expect(audit.out.split('\n').map((line) => line.split(/ {2,}/).slice(1).join('|'))).toEqual([
      'ACTOR|ACTION|SUBJECT|FROM → TO|REASON',
      `olga|application.limits|${application_id}|limits.feed.burst 60 → 3, limits.feed.per_minute 600 → 7|ticket 4711`,
      expect.stringMatching(
        `^olga\\|application.approve\\|${application_id}\\|state "pending" → "approved", .+\\|ticket 4711$`,
      ),
      `olga|application.create|${application_id}|–|ticket 4711`,
      '',
    ])
    expect((await ops('overview', '--all')).out).toContain(property_id)
  })

  it('reaches the services behind the gateway', async () => {
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    gateway.feed.script = (_request, response) => response.end('{"schema_version":"1.0.0","changed":1}')
    const set = await ops('connections', 'mappings-set', connection, '--map', 'room:r1=DBL', ...reason)
    expect(set).toMatchObject({ code: 0, out: 'changed  1\n' })
    expect(gateway.feed.last).toMatchObject({ method: 'PUT', url: `/ops/v1/connections/${connection}/mappings` })
    const redelivered = await ops('connections', 'redeliver', connection, '--reservation-ids', 'R1', ...reason)
    expect([redelivered.code, gateway.feed.last.url]).toEqual([0, `/ops/v1/connections/${connection}/redeliver`])
    // The service for callbacks is not running.
    expect(await ops('callbacks', 'show', connection)).toMatchObject({
      code: 1,
      err: expect.stringContaining('503 service_unavailable'),
    })
  })

  it('lists, shows, replays and discards dead letters', async () => {
    const fence = { group: 'gateway', topic: 'connectivity.catalogs.v1', partition: 0 }
    const message = { offset: 7n, key: Buffer.from('con_1'), value: Buffer.from('{"half\u001b[31m') }
    const database = gateway.app.get(Database, { strict: false })
    await applyBatch(database, fence, [message], async (batch) => batch.deadLetter(message, 'is bad'))
    const { out } = await ops('dead-letters', 'list', '--service', 'gateway')
    const [, id] = /^\S+ +gateway +(dl_\w+) +connectivity\.catalogs\.v1 +0 +7 +con_1 +open +1 +is bad$/m.exec(out)!
    const shown = await ops('dead-letters', 'show', 'gateway', id!)
    expect(shown.out).toMatch(/^value +\{"half\\u001b\[31m$/m)
    const asJson = await ops('dead-letters', 'show', 'gateway', id!, '--json')
    expect(JSON.parse(asJson.out)).toMatchObject({ id, value_base64: message.value.toString('base64') })
    // Nothing is consumed in this test, so the replay finds no handler.
    expect(await ops('dead-letters', 'replay', 'gateway', id!, ...reason)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^attempts +2$/m),
      err: expect.stringContaining('The replay failed again: '),
    })
    expect((await ops('dead-letters', 'discard', 'gateway', id!, ...reason)).out).toMatch(/^state +discarded$/m)
    expect((await ops('dead-letters', 'list', '--service', 'gateway')).out).toBe('Nothing found.\n')
    expect((await ops('dead-letters', 'list', '--service', 'gateway', '--state', 'discarded')).out).toContain(id)
  })

  it('follows cursors up to the limit or the end', async () => {
    const contact = { name: 'A', email: 'a@example.com' }
    await Promise.all(
      Array.from({ length: 103 }, (_, index) =>
        gateway.ops('POST', '/applications', { name: `many ${index}`, contact, reason: 'test' }),
      ),
    )
    const names = (outcome: Outcome) => JSON.parse(outcome.out).applications.map(({ name }: { name: string }) => name)
    const all = await ops('applications', 'list', '--all', '--json')
    expect(names(all).filter((name: string) => name.startsWith('many'))).toHaveLength(103)
    expect(JSON.parse(all.out).pagination).toMatchObject({
      has_more: false,
      next_cursor: null,
      count: names(all).length,
    })
    const some = await ops('applications', 'list', '--limit', '102', '--json')
    expect(names(some)).toEqual(names(all).slice(0, 102))
    const { next_cursor } = JSON.parse(some.out).pagination
    const rest = await ops('applications', 'list', '--cursor', next_cursor, '--json')
    expect([...names(some), ...names(rest)]).toEqual(names(all))
    const table = await ops('applications', 'list', '--limit', '2')
    expect(table.out.split('\n')).toHaveLength(4)
    expect(table.err).toContain('2 shown, there are more')
  })

  it('prints with --json exactly what the service answers', async () => {
    const { application_id } = await newApplication()
    const { text } = await gateway.ops('GET', `/applications/${application_id}`)
    expect((await ops('applications', 'show', application_id, '--json')).out).toBe(`${text}\n`)
    const page = await gateway.ops('GET', '/audit?limit=3')
    expect((await ops('audit', '--limit', '3', '--json')).out).toBe(`${page.text}\n`)
  })

  it('shows a refusal with its code, details and correlation id, and exits with 1', async () => {
    const unknown = await ops('applications', 'show', 'app_none', '--json')
    expect(unknown.code).toBe(1)
    expect(JSON.parse(unknown.out).error.code).toBe('not_found')
    expect(unknown.err).toMatch(/\(404 not_found\)\ncorrelation id: \S+\n$/)
    const faulty = await ops('applications', 'create', '--name=', '--contact-name=A', '--contact-email=x', ...reason)
    expect(faulty).toMatchObject({ code: 1, out: '' })
    expect(faulty.err).toMatch(/^ {2}\/contact\/email +invalid_value/m)
    expect(faulty.err).toMatch(/^ {2}\/name +invalid_value/m)
  })

  it('sends nothing without a reason, and exits with 2', async () => {
    const { application_id } = await newApplication()
    const outcome = await ops('applications', 'approve', application_id)
    expect(outcome).toMatchObject({ code: 2, out: '', err: expect.stringContaining('missing --reason <TEXT>') })
    expect((await ops('applications', 'show', application_id)).out).toMatch(/^state +pending$/m)
  })

  it('repeats a change with the same key without doing it again', async () => {
    const connection = await gateway.pilotConnection(await gateway.approvedApplication())
    const again = () => created('credentials', 'create', connection, '--type', 'oauth', '--idempotency-key', 'k-1')
    expect(await again()).toEqual(await again())
  })

  it('finds the local stack by itself, and only reads with --read-only', async () => {
    expect((await local('applications', 'list')).code).toBe(0)
    const args = ['--name', 'x', '--contact-name', 'A', '--contact-email', 'a@example.com', ...reason]
    expect((await local('applications', 'create', ...args)).code).toBe(0)
    expect((await local('applications', 'list', '--read-only')).code).toBe(0)
    const refused = await local('applications', 'create', '--read-only', ...args)
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('insufficient_role') })
  })

  it('reports what is missing to find it', async () => {
    const nowhere = { STATE_DIR: join(stateDir, 'none') }
    expect(await run(['overview'], nowhere)).toMatchObject({ code: 2, err: expect.stringContaining('npm start') })
    const { OPS_URL = '', OPS_TOKEN = '' } = elsewhere
    expect(await run(['overview'], { OPS_URL })).toMatchObject({ code: 2, err: expect.stringContaining('OPS_TOKEN') })
    expect(await run(['overview'], { OPS_TOKEN })).toMatchObject({ code: 2, err: expect.stringContaining('OPS_URL') })
    const gone = await run(['overview'], { OPS_TOKEN, OPS_URL: 'http://127.0.0.1:9' })
    expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('cannot be reached') })
    expect((await run(['--help'], nowhere)).code).toBe(0)
  })

  it('does not mistake another server for the service', async () => {
    const stranger = createServer((_request, response) => response.end('{"connections":[]}')).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const OPS_URL = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    const outcome = await run(['overview'], { OPS_URL, OPS_TOKEN: 'x' })
    stranger.close()
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining("is not the service's own") })
  })
})

import { randomBytes } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { LoggedRequest } from '@connectivity/contracts/request-log'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Answer, call, type Partner } from './partner.js'

/** Lets a test begin early in a minute, so that all its requests belong to it. */
const earlyInAMinute = () =>
  eventually(() => {
    if (new Date().getSeconds() > 50) throw new Error('the minute is about to end')
  })

describe('the request log, when entries cannot be written', () => {
  const gateway = new GatewayUnderTest()
  let connection: string
  let partner: Partner
  let warnings: string[]

  beforeAll(async () => {
    await gateway.start()
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = gateway.partner(await gateway.signingKey(connection))
    await gateway.untilServed(() => partner.get(`/reservations?property_id=${connection}`))
    gateway.app.get<Logger>(LOGGER).warn = (_fields: unknown, message?: string) => void warnings.push(String(message))
  })
  beforeEach(() => (warnings = []))
  afterAll(() => gateway.stop())

  const idOf = ({ headers }: Answer) => String(headers['x-correlation-id'])
  const untilWarned = (message: string) => eventually(() => expect(warnings).toContain(message))
  const operatorsList = async (query: string) =>
    (await gateway.ops('GET', `/requests${query}`)).json.requests as LoggedRequest[]

  const setAside = () => gateway.sql('ALTER TABLE logged_request RENAME TO logged_request_aside')
  const putBack = () => gateway.sql('ALTER TABLE logged_request_aside RENAME TO logged_request')

  it('folds polls of before and after a failed write into one entry with the id of the first', async () => {
    gateway.feed.script = (_request, response) => response.writeHead(304).end()
    const poll = () => partner.get(`/reservations?property_id=${connection}`)
    await earlyInAMinute()
    await setAside()
    const first = await poll()
    expect(first.status).toBe(304)
    await untilWarned('request log was not written, trying again')
    expect((await poll()).status).toBe(304)
    await putBack()
    await eventually(async () => {
      const entries = await operatorsList(`?property_id=${connection}&status=304`)
      expect(entries).toMatchObject([{ correlation_id: idOf(first), repeated: 2 }])
    })
  })

  it('keeps failures of strangers at paths too long for an index', async () => {
    const target = `${BASE_PATH}/${randomBytes(6 * 1024).toString('base64url')}`
    await earlyInAMinute()
    const first = await call(gateway.publicOrigin, target)
    expect((await call(gateway.publicOrigin, `${target}x`)).status).toBe(401)
    expect((await call(gateway.publicOrigin, target)).status).toBe(first.status)
    await eventually(async () => {
      const [entry] = await operatorsList(`?correlation_id=${idOf(first)}`)
      expect(entry).toMatchObject({ status: 401, path: target.slice(0, 1024), repeated: 2 })
    })
    expect(warnings).not.toContain('request log was not written, trying again')
  })

  it('writes no entry again that was written before the database failed', async () => {
    await setAside()
    const paths = ['/catalog/one', '/catalog/two', '/catalog/refused', '/catalog/late']
    for (const path of paths) await partner.get(path)
    await untilWarned('request log was not written, trying again')
    // The refused entry halves the batch: the first half is written, then the last entry meets a failing database.
    await gateway.sql(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.path LIKE '%/refused' THEN RAISE EXCEPTION 'refused' USING ERRCODE = 'check_violation'; END IF;
        IF NEW.path LIKE '%/late' THEN RAISE EXCEPTION 'failed' USING ERRCODE = 'admin_shutdown'; END IF;
        RETURN NEW;
      END $$`)
    await gateway.sql(
      'CREATE TRIGGER refuse BEFORE INSERT ON logged_request_aside FOR EACH ROW EXECUTE FUNCTION refuse()',
    )
    await putBack()
    await untilWarned('the database refuses an entry of the request log')
    const failures = warnings.length
    await eventually(() => expect(warnings.length).toBeGreaterThan(failures + 1))
    await gateway.sql('DROP TRIGGER refuse ON logged_request')
    await eventually(async () => expect(await operatorsList('?path=/catalog/late')).toHaveLength(1))
    const entries = await Promise.all(paths.map((path) => operatorsList(`?path=${path}`)))
    expect(entries.map(({ length }) => length)).toEqual([1, 1, 0, 1])
  })
})

import { type Answer, call } from './partner.js'
import { GatewayUnderTest } from './gateway-under-test.js'

const contact = { name: 'Ada Lovelace', email: 'ada@example.com' }
const reason = 'ticket 4711'

describe('access for operators', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start())
  afterAll(() => gateway.stop())

  const refused = (status: number, code: string) => ({ status, json: { schema_version: '1.0.0', error: { code } } })
  const faults = ({ json }: Answer) => json.error!.details!.map(({ pointer, code }) => `${pointer} ${code}`)
  const listWith = (authorization: string) =>
    call(gateway.privateOrigin, '/ops/v1/applications', { headers: { authorization } })

  describe('access', () => {
    it('requires a token at every path', async () => {
      for (const path of ['/ops/v1/applications', '/ops/v1/nothing', '/ops/v1/']) {
        expect(await call(gateway.privateOrigin, path)).toMatchObject(refused(401, 'invalid_token'))
      }
    })

    it('refuses tokens that are expired, for others, by others, altered or not signed', async () => {
      const roles = ['connectivity:operate']
      const { token } = gateway.staff
      const good = await token(roles)
      const bad = [
        await token(roles, { expires: '-1s' }),
        await token(roles, { audience: 'another' }),
        await token(roles, { issuer: 'another' }),
        good.slice(0, -4) + 'AAAA',
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
        'x',
        '',
      ]
      expect((await listWith(`Bearer ${good}`)).status).toBe(200)
      for (const text of bad) expect(await listWith(`Bearer ${text}`)).toMatchObject(refused(401, 'invalid_token'))
    })

    it.each([
      ['a number', 4711],
      ['empty', ''],
      ['longer than 200 characters', 'x'.repeat(201)],
      ['with a space', 'olga smith'],
      ['with a line feed', 'olga\nroot'],
      ['with a mark that turns the text', 'olga\u202e'],
      ['with characters of no width', 'olga\u200b'],
    ])('refuses a token whose subject is %s', async (_what, sub) => {
      const answer = await listWith(`Bearer ${await gateway.staff.token(['connectivity:operate'], { sub })}`)
      expect(answer).toMatchObject(refused(401, 'invalid_token'))
      expect(answer.json.error!.message).toMatch(/sub/)
    })

    it.each(['auth0|507f1f77', 'Ольга.Müller@example.com', 'x'.repeat(200)])('accepts the subject %s', async (sub) => {
      expect((await listWith(`Bearer ${await gateway.staff.token(['connectivity:read'], { sub })}`)).status).toBe(200)
    })

    it('refuses a token that is valid for more than twelve hours', async () => {
      const until = async (expires: string) =>
        listWith(`Bearer ${await gateway.staff.token(['connectivity:read'], { expires })}`)
      expect((await until('12h')).status).toBe(200)
      const refusal = await until('13h')
      expect(refusal).toMatchObject(refused(401, 'invalid_token'))
      expect(refusal.json.error!.message).toMatch(/12 hours/)
    })

    it('refuses two tokens', async () => {
      const token = `Bearer ${await gateway.staff.token(['connectivity:read'])}`
      const authorization = [token, token] as unknown as string
      expect(await listWith(authorization)).toMatchObject(refused(401, 'invalid_token'))
    })

    it('allows readers only to read, and refuses tokens without a role', async () => {
      const reader = `Bearer ${await gateway.staff.token(['connectivity:read'])}`
      const roleless = `Bearer ${await gateway.staff.token(['something:else'])}`
      expect((await listWith(reader)).status).toBe(200)
      const refusal = await listWith(roleless)
      expect(refusal).toMatchObject(refused(403, 'insufficient_role'))
      expect(refusal.json.error!.message).toContain('connectivity:read')
      const post = (authorization: string) =>
        gateway.ops('POST', '/applications', { name: 'x', contact, reason }, { authorization })
      expect(await post(reader)).toMatchObject(refused(403, 'insufficient_role'))
      expect(await post(roleless)).toMatchObject(refused(403, 'insufficient_role'))
    })
  })

  describe('methods', () => {
    it.each([
      ['DELETE', '/connections', 'POST, GET, HEAD'],
      ['OPTIONS', '/audit', 'GET, HEAD'],
      ['PATCH', '/connections/con_x', 'GET, HEAD'],
      ['GET', '/connections/con_x/mappings', 'PUT'],
      ['POST', '/callbacks/con_x', 'GET, HEAD'],
      ['GET', '/dead-letters/ari/x/replay?a=b', 'POST'],
      ['PROPFIND', '/overview', 'GET, HEAD'],
    ])('%s is not taken at %s: 405 with Allow', async (method, path, allow) => {
      const answer = await gateway.ops(method, path)
      expect(answer).toMatchObject(refused(405, 'method_not_allowed'))
      expect(answer.headers.allow!.split(', ').toSorted()).toEqual(allow.split(', ').toSorted())
    })

    it('are checked after the token and before the role', async () => {
      const del = (headers: Record<string, string>) =>
        call(gateway.privateOrigin, '/ops/v1/connections', { method: 'DELETE', headers })
      const reader = await gateway.staff.token(['connectivity:read'])
      expect(await del({})).toMatchObject(refused(401, 'invalid_token'))
      expect(await del({ authorization: `Bearer ${reader}` })).toMatchObject(refused(405, 'method_not_allowed'))
    })

    it('are not checked at unknown paths: 404', async () => {
      for (const path of ['/nothing', '/connections/', '/connections/con_x/callback', '/Connections'])
        expect(await gateway.ops('DELETE', path)).toMatchObject(refused(404, 'not_found'))
    })
  })

  describe('bodies', () => {
    const create = (body: object) => gateway.ops('POST', '/applications', body)

    it('are refused with every fault by pointer', async () => {
      const answer = await create({ name: 5, contact: { name: '', email: 'x', phone: '1' }, 'a/b~c': 1 })
      expect(answer).toMatchObject(refused(400, 'invalid_request'))
      expect(faults(answer).toSorted()).toEqual([
        '/a~1b~0c unknown_field',
        '/contact/email invalid_value',
        '/contact/name invalid_value',
        '/contact/phone unknown_field',
        '/name invalid_value',
        '/reason missing',
      ])
    })

    it.each([
      [{ contact, name: 'x' }, '/reason missing'],
      [{ contact, name: 'x', reason: ' ' }, '/reason invalid_value'],
      [{ contact, name: 'x', reason: 'a'.repeat(501) }, '/reason invalid_value'],
      [{ contact, name: 'x\0', reason }, '/name invalid_value'],
      [{ contact, name: '\ud800', reason }, '/name lone_surrogate'],
      [{ contact: null, name: 'x', reason }, '/contact invalid_value'],
      [{ contact: [contact], name: 'x', reason }, '/contact invalid_value'],
      [[], ' invalid_value'],
    ])('%j is refused at %s', async (body, fault) => {
      expect(faults(await create(body))).toContain(fault)
    })

    it('must be JSON', async () => {
      const send = (body: string, type: string) =>
        call(gateway.privateOrigin, '/ops/v1/applications', {
          method: 'POST',
          body,
          headers: { authorization: `Bearer ${tokenOf}`, 'content-type': type },
        })
      const tokenOf = await gateway.staff.token(['connectivity:operate'])
      expect(await send('{}', 'text/plain')).toMatchObject(refused(415, 'unsupported_media_type'))
      expect(await send('{', 'application/json')).toMatchObject(refused(400, 'invalid_request'))
      expect(await send('{"__proto__":{}}', 'application/json')).toMatchObject(refused(400, 'invalid_request'))
      expect(await send('', 'application/json')).toMatchObject(refused(400, 'invalid_request'))
    })
  })
})

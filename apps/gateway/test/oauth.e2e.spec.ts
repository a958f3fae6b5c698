import { BASE_PATH, TOKEN_PATH } from '@connectivity/contracts/partner-api'
import { scopes } from '@connectivity/contracts/scopes'
import { GatewayUnderTest } from './gateway-under-test.js'
import { basic, OAuthPartner, refused } from './oauth-client.js'
import { type Answer, call, raw, signatureHeaders } from './partner.js'

const GRANT = 'grant_type=client_credentials'

describe('POST /oauth/token', () => {
  const gateway = new GatewayUnderTest()
  let connection: string
  let partner: OAuthPartner
  let id: string
  let secret: string
  let post: string

  beforeAll(async () => {
    await gateway.start()
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
    partner = await OAuthPartner.issued(gateway, connection)
    ;({ client_id: id, client_secret: secret } = partner.client)
    post = `client_id=${id}&client_secret=${secret}`
    await gateway.ops('PUT', `/applications/${await applicationOf()}/limits`, {
      limits: { token: { per_minute: 100_000, burst: 10_000 } },
      reason: 'test',
    })
  })
  afterAll(() => gateway.stop())

  const applicationOf = async () =>
    (await gateway.ops('GET', `/connections/${connection}`)).json.application_id as string

  const granted = {
    status: 200,
    headers: expect.objectContaining({
      'content-type': expect.stringMatching(/^application\/json/),
      'cache-control': expect.stringContaining('no-store'),
      pragma: 'no-cache',
    }),
    json: {
      schema_version: '1.0.0',
      access_token: expect.stringMatching(/^cat_[A-Za-z0-9_-]{49}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: scopes.join(' '),
    },
  }
  const noClient = (answer: Answer) => {
    expect(answer).toMatchObject(refused(401, 'invalid_client'))
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm="/)
  }

  it('grants a token to a form with the secret in the body', async () => {
    expect(await partner.form(`${GRANT}&${post}`)).toMatchObject(granted)
  })

  it('grants a token to Basic, with the same client_id in the body too', async () => {
    const authorization = basic(id, secret)
    expect(await partner.form(GRANT, { authorization })).toMatchObject(granted)
    expect(await partner.form(`${GRANT}&client_id=${id}&client_secret=`, { authorization })).toMatchObject(granted)
    const plain = Buffer.from(`${id}:${secret}`).toString('base64')
    expect(await partner.form(GRANT, { authorization: `basic ${plain}` })).toMatchObject(granted)
  })

  it('grants a token to JSON and to forms of any spelling', async () => {
    const body = { grant_type: 'client_credentials', client_id: id, client_secret: secret, audience: ['ignored'] }
    const json = { 'content-type': 'application/json; charset=UTF-8' }
    expect(await partner.post(JSON.stringify(body), json)).toMatchObject(granted)
    const charset = { 'content-type': 'Application/X-WWW-Form-Urlencoded;charset="utf-8"' }
    expect(await partner.post(`&grant%5Ftype=client%5fcredentials&${post}&x=1&x=2&scope=`, charset)).toMatchObject(
      granted,
    )
  })

  it('decodes Basic like a form', async () => {
    const encoded = [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
    const authorization = `Basic ${Buffer.from(`${id}:${encoded}`).toString('base64')}`
    expect(await partner.form(GRANT, { authorization })).toMatchObject(granted)
  })

  it.each([
    ['no client', GRANT, undefined],
    ['an id without secret', `${GRANT}&client_id=ID`, undefined],
    ['an empty secret', `${GRANT}&client_id=ID&client_secret=`, undefined],
    ['a secret without id', `${GRANT}&client_secret=SECRET`, undefined],
    ['a wrong secret', `${GRANT}&client_id=ID&client_secret=x`, undefined],
    ['a secret with more behind it', `${GRANT}&client_id=ID&client_secret=SECRETx`, undefined],
    ['an unknown client', `${GRANT}&client_id=cli_none&client_secret=SECRET`, undefined],
    ['a client id that can be none', `${GRANT}&client_id=%27%20OR%201&client_secret=SECRET`, undefined],
    ['Basic that is not base64', GRANT, 'Basic ***'],
    ['Basic without anything', GRANT, 'Basic'],
    ['Basic without a colon', GRANT, `Basic ${Buffer.from('ID').toString('base64')}`],
    ['Basic without a secret', GRANT, 'BASIC:ID:'],
    ['Basic without an id', GRANT, 'BASIC::SECRET'],
    ['Basic with a wrong secret', GRANT, 'BASIC:ID:x'],
    ['Basic with broken form encoding', GRANT, 'BASIC:ID:%zz'],
    ['another scheme', GRANT, 'Bearer x'],
    ['an empty Authorization', GRANT, ''],
  ])('refuses %s as invalid_client', async (_what, body, authorization) => {
    const filled = (text: string) => text.replace('ID', id).replace('SECRET', secret)
    const header = authorization?.startsWith('BASIC:')
      ? `Basic ${Buffer.from(filled(authorization.slice(6))).toString('base64')}`
      : authorization
    noClient(await partner.form(filled(body), header === undefined ? {} : { authorization: header }))
  })

  it('gives an unknown client the same answer as a wrong secret', async () => {
    const bodies = [`${GRANT}&client_id=${id}&client_secret=x`, `${GRANT}&client_id=cli_none&client_secret=x`]
    const [a, b] = await Promise.all(bodies.map((body) => partner.form(body)))
    expect({ ...b!.json.error, correlation_id: '' }).toEqual({ ...a!.json.error, correlation_id: '' })
  })

  it('does not accept a signing key as a client, nor a client as a signing key', async () => {
    const key = await gateway.signingKey(connection)
    noClient(await partner.form(`${GRANT}&client_id=${key.key_id}&client_secret=${key.signing_secret}`))
    const signed = gateway.partner({ key_id: id, signing_secret: secret })
    expect((await signed.get('/properties')).json.error).toMatchObject({
      code: 'invalid_signature',
      details: [{ code: 'signature_mismatch' }],
    })
  })

  it.each([
    ['no grant_type', 'POST', 'grant_type'],
    ['an empty grant_type', 'grant_type=&POST', 'grant_type'],
    ['grant_type[]', `grant_type%5B%5D=client_credentials&POST`, 'grant_type'],
    ['a repeated grant_type', `${GRANT}&${GRANT}&POST`, 'grant_type'],
    ['a repeated client_id', `${GRANT}&POST&client_id=ID`, 'client_id'],
    ['a repeated client_secret', `${GRANT}&POST&client_secret=`, 'client_secret'],
    ['a repeated scope', `${GRANT}&POST&scope=&scope=`, 'scope'],
    ['broken form encoding', `${GRANT}&POST&scope=%zz`, ''],
    ['a form that is not UTF-8', `${GRANT}&POST&scope=%ff`, ''],
    ['NUL', `${GRANT}&POST&scope=%00`, 'scope'],
    ['a value over 1 KiB', `${GRANT}&POST&scope=${'a'.repeat(1025)}`, 'scope'],
  ])('refuses %s as invalid_request', async (_what, body, pointer) => {
    const filled = body.replace('ID', id).replace('POST', post)
    expect(await partner.form(filled)).toMatchObject(refused(400, 'invalid_request', pointer))
  })

  it('refuses two mechanisms, two headers and two clients', async () => {
    const authorization = basic(id, secret)
    const both = await partner.form(`${GRANT}&${post}`, { authorization })
    expect(both).toMatchObject(refused(400, 'invalid_request', 'client_secret'))
    const other = await partner.form(`${GRANT}&client_id=cli_other`, { authorization })
    expect(other).toMatchObject(refused(400, 'invalid_request', 'client_id'))
    const headers = ['Host', 'h', 'Content-Type', 'application/x-www-form-urlencoded']
    const twice = [...headers, 'Content-Length', String(GRANT.length)]
    for (let n = 0; n < 2; n += 1) twice.push('Authorization', authorization)
    expect(await partner.post(GRANT, twice)).toMatchObject(refused(400, 'invalid_request', 'Authorization'))
  })

  it.each(['password', 'authorization_code', 'refresh_token', 'CLIENT_CREDENTIALS', 'client_credentials '])(
    'knows no grant %j',
    async (grant_type) => {
      expect(await partner.ask({ grant_type })).toMatchObject(refused(400, 'unsupported_grant_type'))
    },
  )

  it('authenticates the client before it checks the grant', async () => {
    noClient(await partner.form(`grant_type=password&client_id=${id}&client_secret=x`))
    noClient(await partner.form(`client_id=${id}&client_secret=x`))
  })

  it.each([
    '?client_secret=SECRET',
    '?client_id=ID&client_secret=SECRET&grant_type=client_credentials',
    '?client%5Fsecret=SECRET',
    '?Client_Secret=SECRET',
    '?client_secret[]=SECRET',
    '?client_secret',
    '?access_token=x',
    '?a=b&client_assertion=x',
  ])('never evaluates a secret in the query: %s', async (query) => {
    const filled = query.replace('ID', id).replace('SECRET', secret)
    for (const body of [`${GRANT}&${post}`, GRANT, '']) {
      const answer = await partner.form(body, {}, filled)
      expect(answer).toMatchObject(refused(400, 'invalid_request'))
      expect(answer.text).not.toContain(secret)
    }
    expect(await partner.post('', {}, filled)).toMatchObject(refused(400, 'invalid_request'))
  })

  it('ignores other query parameters', async () => {
    expect(await partner.form(`${GRANT}&${post}`, {}, `?client_id=other&x=1`)).toMatchObject(granted)
  })

  it.each([
    ['text/plain', `${GRANT}&POST`, {}],
    ['application/x-www-form-urlencoded; charset=latin1', `${GRANT}&POST`, {}],
    ['application/x-www-form-urlencoded', `${GRANT}&POST`, { 'content-encoding': 'gzip' }],
    ['application/json; charset=latin1', '{}', {}],
    ['multipart/form-data; boundary=x', 'x', {}],
  ])('refuses the media type %s', async (type, body, headers) => {
    const answer = await partner.post(body.replace('POST', post), { 'content-type': type, ...headers })
    expect(answer).toMatchObject(refused(415, 'unsupported_media_type'))
  })

  it.each([
    '',
    '{',
    '[]',
    '"x"',
    'null',
    '{"grant_type":1}',
    '{"scope":null}',
    '{"client_id":"a","client_id":"a"}',
    '{"__proto__":{}}',
  ])('refuses the JSON %j', async (body) => {
    const answer = await partner.post(body, { 'content-type': 'application/json' })
    expect(answer).toMatchObject(refused(400, 'invalid_request'))
  })

  it('points into a body in JSON', async () => {
    const json = { 'content-type': 'application/json' }
    const body = { client_id: id, client_secret: secret }
    for (const given of ['{"grant_type":5}', JSON.stringify(body), JSON.stringify({ ...body, grant_type: '' })]) {
      expect(await partner.post(given, json)).toMatchObject(refused(400, 'invalid_request', '/grant_type'))
    }
    const twice = await partner.post(JSON.stringify(body), { ...json, authorization: basic(id, secret) })
    expect(twice).toMatchObject(refused(400, 'invalid_request', '/client_secret'))
  })

  it('evaluates every parameter of a form, and refuses a form with too many', async () => {
    const filled = (count: number) => `${GRANT}&${post}${'&x=1'.repeat(count - 4)}&scope=ari%3Aread`
    expect((await partner.form(filled(100))).json.scope).toBe('ari:read')
    expect(await partner.form(filled(101))).toMatchObject(refused(400, 'invalid_request', ''))
  })

  it('reports a missing body', async () => {
    expect(await partner.form('')).toMatchObject(refused(400, 'invalid_request', 'grant_type'))
    expect(await partner.post('', { authorization: basic(id, secret) })).toMatchObject(
      refused(400, 'invalid_request', 'grant_type'),
    )
    noClient(await partner.post('', {}))
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'does not take %s, with or without token',
    async (method) => {
      for (const headers of [
        {},
        { authorization: 'Bearer x' },
        signatureHeaders({ key_id: 'k', signing_secret: 's' }, '/'),
      ]) {
        const answer = await call(gateway.publicOrigin, BASE_PATH + TOKEN_PATH, { method, headers })
        expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST', pragma: 'no-cache' } })
        if (method !== 'HEAD') expect(answer.json.error!.code).toBe('method_not_allowed')
      }
    },
  )

  it('is the only path that requires no authentication header', async () => {
    for (const path of [`${TOKEN_PATH}/`, '/oauth', '/oauth/Token', '/oauth/%74oken']) {
      const answer = await call(gateway.publicOrigin, BASE_PATH + path, { method: 'POST', body: `${GRANT}&${post}` })
      expect(answer.status).toBe(401)
    }
  })

  it('answers 413 above 16 KiB', async () => {
    const head = `POST ${BASE_PATH}${TOKEN_PATH} HTTP/1.1\r\nHost: h\r\nContent-Length: 16385\r\nConnection: close\r\n\r\n`
    expect(await raw(gateway.publicOrigin, head)).toMatch(/^HTTP\/1\.1 413 .*"code":"payload_too_large"/s)
  })
})

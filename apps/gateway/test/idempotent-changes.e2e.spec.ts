import { Client } from 'pg'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Answer } from './partner.js'

const reason = 'ticket 4711'

describe("operators' changes with an Idempotency-Key", () => {
  const gateway = new GatewayUnderTest()
  let connection: string
  let number = 0

  beforeAll(async () => {
    await gateway.start()
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
  })
  afterAll(() => gateway.stop())

  const newKey = () => `key-${(number += 1)}`
  const issue = (key: string, given: object = {}) =>
    gateway.ops(
      'POST',
      `/connections/${connection}/credentials`,
      { type: 'signing', reason, ...given },
      { 'Idempotency-Key': key },
    )
  const issuedNow = async () =>
    ((await gateway.ops('GET', `/connections/${connection}/credentials?limit=100`)).json.credentials as object[]).length
  const entries = async (subject: unknown) =>
    ((await gateway.ops('GET', `/audit?subject=${String(subject)}`)).json.entries as object[]).length
  const refused = (status: number, code: string) => ({ status, json: { error: { code } } })

  it('are made once; the repeated answer is the same byte for byte, including a secret', async () => {
    const key = newKey()
    const [first, again] = [await issue(key), await issue(`"${key}"`)]
    expect(first.status).toBe(201)
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotent-replayed': 'true' } })
    expect(again.headers['content-type']).toBe(first.headers['content-type'])
    expect(again.headers['x-correlation-id']).not.toBe(first.headers['x-correlation-id'])
    expect(await entries(first.json.credential_id)).toBe(1)
    const works = { key_id: String(again.json.key_id), signing_secret: String(again.json.signing_secret) }
    expect((await gateway.partner(works).get('/properties')).status).toBe(200)
  })

  it('look like those without a key', async () => {
    const without = await gateway.ops('POST', `/connections/${connection}/credentials`, { type: 'oauth', reason })
    const with_ = await issue(newKey(), { type: 'oauth' })
    expect(with_.status).toBe(without.status)
    expect(Object.keys(with_.json)).toEqual(Object.keys(without.json))
    expect(Object.keys(with_.headers).toSorted()).toEqual(Object.keys(without.headers).toSorted())
    expect(with_.headers['content-type']).toBe(without.headers['content-type'])
  })

  it('have one effect when sent many times at once', async () => {
    const key = newKey()
    const before = await issuedNow()
    const answers = await Promise.all(Array.from({ length: 12 }, () => issue(key)))
    expect(await issuedNow()).toBe(before + 1)
    const done = answers.filter(({ status }) => status === 201)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject({ ...refused(409, 'idempotency_in_progress'), headers: { 'retry-after': '1' } })
    }
  })

  it('with different keys do not wait for each other', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => issue(newKey())))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(201))
  })

  it('keep a refusal as the answer', async () => {
    const application = await gateway.approvedApplication()
    const key = newKey()
    const approve = () =>
      gateway.ops('POST', `/applications/${application}/approve`, { reason }, { 'Idempotency-Key': key })
    const first = await approve()
    expect(first).toMatchObject(refused(409, 'invalid_transition'))
    await gateway.ops('POST', `/applications/${application}/suspend`, { reason })
    const again = await approve()
    expect(again).toMatchObject({ status: 409, text: first.text, headers: { 'idempotent-replayed': 'true' } })
    expect(await entries(application)).toBe(3)
  })

  it('are not stored when they are malformed', async () => {
    const key = newKey()
    expect(await issue(key, { type: 'other' })).toMatchObject(refused(400, 'invalid_request'))
    expect((await issue(key)).status).toBe(201)
  })

  it('refuse a key that was used for another request', async () => {
    const key = newKey()
    await issue(key)
    expect(await issue(key, { type: 'oauth' })).toMatchObject(refused(422, 'idempotency_key_reused'))
    expect((await issue(newKey(), { type: 'oauth' })).status).toBe(201)
  })

  it.each(['""', '"', 'a b', 'ü', 'a'.repeat(256)])('refuse the key %j', async (key) => {
    const before = await issuedNow()
    expect(await issue(key)).toMatchObject(refused(400, 'invalid_idempotency_key'))
    expect(await issuedNow()).toBe(before)
  })

  it('may omit the key or send an empty one', async () => {
    const before = await issuedNow()
    for (let n = 0; n < 2; n += 1) expect((await issue('')).status).toBe(201)
    expect(await issuedNow()).toBe(before + 2)
  })

  it('store nothing readable', async () => {
    const answer: Answer = await issue(newKey())
    const client = new Client({ connectionString: gateway.database.url })
    await client.connect()
    const { rows } = await client.query<{ body: string }>('SELECT body FROM idempotent_answer')
    await client.end()
    expect(rows.length).toBeGreaterThan(0)
    for (const { body } of rows) {
      expect(body).toMatch(/^sealed:k1:/)
      expect(body).not.toContain(answer.json.signing_secret)
    }
  })

  it('do not include reads', async () => {
    const answer = await gateway.ops('GET', '/applications', undefined, { 'Idempotency-Key': '""' })
    expect(answer.status).toBe(200)
  })
})

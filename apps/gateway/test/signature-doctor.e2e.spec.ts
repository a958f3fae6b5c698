import { createHmac, randomBytes } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { signatureHints } from '@connectivity/contracts/signature-hints'
import { Purging } from '@connectivity/database'
import { bodyHash, canonicalText } from '@connectivity/signing'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Answer, call, now, signatureHeaders, type SigningKey } from './partner.js'

const reason = 'test'
const PATH = `${BASE_PATH}/properties`

interface Detail {
  hint?: string
  message: string
}

const detailOf = ({ json }: Answer) => json.error!.details![0]! as Detail
const hintOf = (answer: Answer): string | undefined => detailOf(answer).hint

describe('the signature doctor', () => {
  const gateway = new GatewayUnderTest()
  let application: string
  let connection: string
  let key: SigningKey & { credential_id: string }

  beforeAll(async () => {
    await gateway.start()
    application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
    key = await gateway.signingKey(connection)
  })
  afterAll(() => gateway.stop())

  /** Sends a request with the HMAC of the lines that `change` makes from the right ones. */
  function broken(
    change: (lines: string[]) => string[],
    { method = 'GET', target = PATH, body = '', given = key as SigningKey } = {},
  ) {
    const timestamp = String(now())
    const path = target.split('?', 1)[0]!
    const lines = canonicalText({ method, path, timestamp, bodyHash: bodyHash(Buffer.from(body)) }).split('\n')
    const signature = createHmac('sha256', given.signing_secret).update(change(lines).join('\n')).digest('hex')
    const headers = {
      'X-Service-Key-Id': given.key_id,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': signature,
    }
    return call(gateway.publicOrigin, target, { method, headers, body: body === '' ? undefined : body })
  }
  const signedWith = (given: SigningKey, secret: unknown) =>
    call(gateway.publicOrigin, PATH, { headers: signatureHeaders({ ...given, signing_secret: String(secret) }, PATH) })
  const rotate = async (id: string, overlap_seconds: number) =>
    (await gateway.ops('POST', `/credentials/${id}/rotate`, { reason, overlap_seconds })).json.signing_secret as string

  it('says what to do in the message and names the mistake beside it', async () => {
    const answer = await broken(([method, , ...rest]) => [method!, `${PATH}?a=b`, ...rest], { target: `${PATH}?a=b` })
    const message = signatureHints.query_was_signed
    expect(answer).toMatchObject({ status: 401, json: { error: { code: 'invalid_signature', message } } })
    expect(answer.json.error!.details).toEqual([
      { pointer: 'X-Service-Signature', code: 'signature_mismatch', message, hint: 'query_was_signed' },
    ])
  })

  it.each([
    ['body_reserialised', (lines: string[]) => [...lines.slice(0, 3), bodyHash(Buffer.from('{"Zoë": "/"}'))]],
    ['body_instead_of_hash', (lines: string[]) => [...lines.slice(0, 3), '{"Zoë":"/"}']],
    ['hash_of_empty_body', (lines: string[]) => [...lines.slice(0, 3), bodyHash(Buffer.from(''))]],
    ['trailing_newline', (lines: string[]) => [...lines, '']],
  ])('finds %s in a request with a body, and nothing for others', async (hint, change) => {
    const options = { method: 'POST', target: `${BASE_PATH}/ari`, body: '{"Zoë":"/"}' }
    expect(hintOf(await broken(change, options))).toBe(hint)
    for (const stranger of [
      { ...key, signing_secret: 'wrong' },
      { ...key, key_id: 'key_unknown' },
    ]) {
      const answer = await broken(change, { ...options, given: stranger })
      expect(detailOf(answer)).not.toHaveProperty('hint')
    }
  })

  it('gives wrong secrets, unknown keys and unexplained signatures the same answer', async () => {
    const of = ({ status, headers, text, json }: Answer) => ({
      status,
      text: text.replace(json.error!.correlation_id, ''),
      headers: { ...headers, date: '', 'x-correlation-id': '' },
    })
    const other = (lines: string[]) => [...lines, ...lines]
    const unexplained = of(await broken(other))
    expect(unexplained.text).not.toContain('hint')
    for (const given of [
      { ...key, signing_secret: 'wrong' },
      { ...key, key_id: 'key_unknown' },
      { ...key, key_id: `key_${randomBytes(22).toString('hex')}` },
    ])
      for (const change of [other, (lines: string[]) => lines.slice(1)])
        expect(of(await broken(change, { given }))).toEqual(unexplained)
  })

  it('shows neither secret nor body', async () => {
    const body = '{"guest":"Adelheid"}'
    const answer = await broken((lines) => [...lines.slice(0, 3), body], { method: 'POST', body })
    expect(hintOf(answer)).toBe('body_instead_of_hash')
    for (const hidden of ['Adelheid', key.signing_secret]) expect(answer.text).not.toContain(hidden)
  })

  it('counts its findings', async () => {
    await broken((lines) => lines.toReversed())
    const { text } = await call(gateway.privateOrigin, '/metrics')
    expect(text).toMatch(/connectivity_signature_examinations_total\{hint="line_order"\} [1-9]/)
    expect(text).toMatch(/connectivity_signature_examinations_total\{hint="none"\} [1-9]/)
  })

  describe('of a rotated credential', () => {
    const ended = 'secret_ended'

    it('knows the secret that ended at once, until the next rotation', async () => {
      const first = await gateway.signingKey(connection)
      const second = await rotate(first.credential_id, 0)
      await gateway.until(
        () => signedWith(first, first.signing_secret),
        (answer) => answer.status === 401,
      )
      const answer = await signedWith(first, first.signing_secret)
      expect(hintOf(answer)).toBe(ended)
      expect(detailOf(answer).message).toBe(signatureHints.secret_ended)
      const third = await rotate(first.credential_id, 0)
      await gateway.untilServed(() => signedWith(first, third))
      expect(hintOf(await signedWith(first, second))).toBe(ended)
      expect(hintOf(await signedWith(first, first.signing_secret))).toBeUndefined()
    })

    it('knows the secret whose overlap is over', async () => {
      const first = await gateway.signingKey(connection)
      await rotate(first.credential_id, 1)
      const answer = await gateway.until(
        () => signedWith(first, first.signing_secret),
        ({ status }) => status === 401,
        3_000,
      )
      expect(hintOf(answer)).toBe(ended)
    })

    it('knows the oldest of three, which a rotation ended, and then the one that ended later', async () => {
      const first = await gateway.signingKey(connection)
      const second = await rotate(first.credential_id, 3600)
      const third = await rotate(first.credential_id, 1)
      await gateway.untilServed(() => signedWith(first, third))
      expect(hintOf(await signedWith(first, first.signing_secret))).toBe(ended)
      await gateway.until(
        () => signedWith(first, second),
        ({ status }) => status === 401,
        3_000,
      )
      expect(hintOf(await signedWith(first, second))).toBe(ended)
      expect(hintOf(await signedWith(first, first.signing_secret))).toBeUndefined()
    })

    it('forgets an ended secret after 90 days', async () => {
      const first = await gateway.signingKey(connection)
      await rotate(first.credential_id, 0)
      const secrets = () =>
        gateway.sql('SELECT ends_at FROM credential_secret WHERE credential_id = $1', [first.credential_id])
      const age = (days: number) =>
        gateway.sql(
          `UPDATE credential_secret SET ends_at = now() - make_interval(days => $2)
            WHERE credential_id = $1 AND ends_at IS NOT NULL`,
          [first.credential_id, days],
        )
      const purge = () => gateway.app.get(Purging, { strict: false }).run()
      await age(89)
      await purge()
      expect(await secrets()).toHaveLength(2)
      await age(90)
      await purge()
      expect(await secrets()).toEqual([{ ends_at: null }])
    })

    it('keeps it sealed', async () => {
      const first = await gateway.signingKey(connection)
      await rotate(first.credential_id, 0)
      expect(await gateway.storedText()).not.toContain(first.signing_secret)
    })

    it('remembers no secret of a client', async () => {
      const { json } = await gateway.ops('POST', `/connections/${connection}/credentials`, { type: 'oauth', reason })
      await rotate(json.credential_id as string, 0)
      const rows = await gateway.sql('SELECT 1 FROM credential_secret WHERE credential_id = $1', [json.credential_id])
      expect(rows).toHaveLength(1)
    })
  })

  it('gives no hint for revoked, expired and suspended keys, but gives one for closed connections', async () => {
    const other = await gateway.approvedApplication()
    const place = await gateway.pilotConnection(other)
    const expires_at = new Date(Date.now() + 2_000).toISOString()
    const [revoked, short, left] = [
      await gateway.signingKey(place),
      await gateway.signingKey(place, { expires_at }),
      await gateway.signingKey(place),
    ]
    const hint = (given: SigningKey) => async () => hintOf(await broken((lines) => lines.toReversed(), { given }))
    const becomes = (given: SigningKey, expected: string | undefined) =>
      gateway.until(
        () => broken((lines) => lines.toReversed(), { given }),
        (answer) => hintOf(answer) === expected,
        4_000,
      )
    for (const given of [revoked, short, left]) expect(await hint(given)()).toBe('line_order')
    await gateway.ops('POST', `/credentials/${revoked.credential_id}/revoke`, { reason })
    await becomes(revoked, undefined)
    await becomes(short, undefined)
    await gateway.ops('POST', `/connections/${place}/transitions`, { to: 'closed', reason })
    expect(await hint(left)()).toBe('line_order')
    await gateway.ops('POST', `/applications/${other}/suspend`, { reason })
    await becomes(left, undefined)
  })
})

import { createHash, createHmac, createSecretKey } from 'node:crypto'
import { type SignatureHint, signatureHints } from '@connectivity/contracts/signature-hints'
import fc from 'fast-check'
import { examine, type TriedKeys } from './examination.js'
import { MAX_JSON_BYTES, type SentRequest } from './request-mistakes.js'

const SECRET = 'sk_test-4f7d2b9c1e8a4d6fb0a35c7e9d1f2a3b_9k'
const BASE = '/api/connectivity/v1'
const PATH = `${BASE}/reservations/RSV%2F1`
const TIME = '1795168800'
const BODY = '{"name":"Zoë","url":"https://a/b","list":[1.0,2],"empty":{},"a":null}'

const sha = (body: string | Buffer) => createHash('sha256').update(body).digest('hex')
const EMPTY = sha('')
const macOf = (key: string | Buffer, text: string | Buffer) => createHmac('sha256', key).update(text).digest('hex')
const signed = (...lines: string[]) => macOf(SECRET, lines.join('\n'))
const key = (text: string) => createSecretKey(Buffer.from(text))

const sent = (given: Partial<SentRequest> = {}): SentRequest => {
  const body = given.body ?? Buffer.alloc(0)
  return { method: 'GET', target: `${PATH}?property_id=con_1`, timestamp: TIME, bodyHash: sha(body), ...given, body }
}
const posted = (text: string) => sent({ method: 'POST', target: `${BASE}/ari`, body: Buffer.from(text) })
const known: TriedKeys = { live: [key(SECRET)], ended: null }

describe('the examination of a signature', () => {
  const posts = (change: (body: string) => string) => signed('POST', `${BASE}/ari`, TIME, change(BODY))
  const read = JSON.parse(BODY) as object
  const escaped = BODY.replace('ë', '\\u00eb')

  it.each<[SignatureHint, string, SentRequest, string]>([
    ['query_was_signed', 'path and query', sent(), signed('GET', `${PATH}?property_id=con_1`, TIME, EMPTY)],
    ['base_path_missing', 'no base path', sent(), signed('GET', '/reservations/RSV%2F1', TIME, EMPTY)],
    ['path_coding', 'decoded', sent(), signed('GET', `${BASE}/reservations/RSV/1`, TIME, EMPTY)],
    ['path_coding', 'encoded twice', sent(), signed('GET', `${BASE}/reservations/RSV%252F1`, TIME, EMPTY)],
    [
      'path_coding',
      'escapes in upper case',
      sent({ target: `${BASE}/reservations/a%2fb` }),
      signed('GET', `${BASE}/reservations/a%2Fb`, TIME, EMPTY),
    ],
    ['trailing_slash', 'added', sent(), signed('GET', `${PATH}/`, TIME, EMPTY)],
    ['trailing_slash', 'removed', sent({ target: `${PATH}/` }), signed('GET', PATH, TIME, EMPTY)],
    ['method_case', 'lower', sent(), signed('get', PATH, TIME, EMPTY)],
    ['method_case', 'capitalised', sent(), signed('Get', PATH, TIME, EMPTY)],
    ['hash_upper_case', 'with a body', posted(BODY), posts((body) => sha(body).toUpperCase())],
    ['hash_upper_case', 'without', sent(), signed('GET', PATH, TIME, EMPTY.toUpperCase())],
    ['hash_base64', 'padded', posted(BODY), posts((body) => Buffer.from(sha(body), 'hex').toString('base64'))],
    ['hash_base64', 'for URLs', posted(BODY), posts((body) => Buffer.from(sha(body), 'hex').toString('base64url'))],
    ['hash_of_empty_body', 'nothing hashed', posted(BODY), posts(() => EMPTY)],
    ['body_instead_of_hash', 'JSON', posted(BODY), posts((body) => body)],
    ['body_instead_of_hash', 'an empty line', sent(), signed('GET', PATH, TIME, '')],
    ['body_reserialised', 'spaced', posted(BODY), posts(() => sha(BODY.replace(/([:,])(?!\/)/g, '$1 ')))],
    ['body_reserialised', 'compact', posted(JSON.stringify(read, null, 1).replaceAll('1,', '1.0,')), posts(sha)],
    ['body_reserialised', 'escaped', posted(BODY), posts(() => sha(escaped))],
    ['body_reserialised', 'escaped, upper-case hex', posted(BODY), posts(() => sha(BODY.replace('ë', '\\u00EB')))],
    ['body_reserialised', 'unescaped', posted(escaped), posts(sha)],
    ['body_reserialised', 'escaped slashes', posted(BODY), posts((body) => sha(body.replaceAll('/', '\\/')))],
    ['body_reserialised', 'as PHP writes it', posted(BODY), posts(() => sha(escaped.replaceAll('/', '\\/')))],
    [
      'body_reserialised',
      'sorted, as Python writes it',
      posted(BODY),
      posts(() => sha('{"a": null, "empty": {}, "list": [1.0, 2], "name": "Zo\\u00eb", "url": "https://a/b"}')),
    ],
    ['line_order', 'time before path', sent(), signed('GET', TIME, PATH, EMPTY)],
    ['line_order', 'reversed', sent(), signed(EMPTY, TIME, PATH, 'GET')],
    ['crlf', 'between lines', sent(), macOf(SECRET, ['GET', PATH, TIME, EMPTY].join('\r\n'))],
    ['trailing_newline', 'at the end', sent(), signed('GET', PATH, TIME, EMPTY, '')],
    ['timestamp_milliseconds', 'three zeros', sent(), signed('GET', PATH, `${TIME}000`, EMPTY)],
    ...['\n', '\r\n', ' '].flatMap((space) =>
      [`${SECRET}${space}`, `${space}${SECRET}`, `${space}${SECRET}${space}`].map(
        (secret): [SignatureHint, string, SentRequest, string] => [
          'secret_whitespace',
          JSON.stringify(secret.replace(SECRET, '…')),
          sent(),
          macOf(secret, ['GET', PATH, TIME, EMPTY].join('\n')),
        ],
      ),
    ),
    ...[SECRET, SECRET.replace(/[-_]/g, '')].map((secret): [SignatureHint, string, SentRequest, string] => [
      'secret_decoded',
      `${secret.length} digits`,
      sent(),
      macOf(Buffer.from(secret, 'base64'), ['GET', PATH, TIME, EMPTY].join('\n')),
    ]),
  ])('finds %s: %s', (hint, _how, request, signature) => {
    expect(examine(request, signature, known)).toBe(hint)
    expect(examine(request, signature, { live: [key('another'), key(SECRET)], ended: null })).toBe(hint)
    expect(examine(request, signature, { live: [], ended: null })).toBeNull()
    expect(examine(request, signature, { live: [key('another')], ended: key(SECRET) })).toBeNull()
  })

  it('finds secret_ended', () => {
    const signature = signed('GET', PATH, TIME, EMPTY)
    expect(examine(sent(), signature, { live: [key('another')], ended: key(SECRET) })).toBe('secret_ended')
  })

  it('finds each of the 23 wrong orders of lines', () => {
    const lines = ['GET', PATH, TIME, EMPTY]
    const orders = fc.shuffledSubarray(lines, { minLength: 4 })
    fc.assert(
      fc.property(orders, (order) => {
        const hint = order.join() === lines.join() ? null : 'line_order'
        expect(examine(sent(), signed(...order), known)).toBe(hint)
      }),
    )
  })

  it('finds no mistake in combinations, and in signatures of anything else', () => {
    expect(examine(sent(), signed('get', `${PATH}/`, TIME, EMPTY), known)).toBeNull()
    expect(
      examine(
        posted(BODY),
        posts(() => sha(BODY.replace('1.0', '1'))),
        known,
      ),
    ).toBeNull()
    expect(examine(sent(), signed('GET', PATH, String(Number(TIME) + 1), EMPTY), known)).toBeNull()
  })

  it('finds one mistake only: several that fit are none', () => {
    const nested = sent({ target: `${BASE}${BASE}%20?a` })
    const decoded = signed('GET', `${BASE}${BASE} `, TIME, EMPTY)
    expect(examine(nested, decoded, known)).toBe('path_coding')
    // The empty body is its own hash's text as well as one that was not hashed.
    const both = sent({ method: 'POST', body: Buffer.from(EMPTY) })
    expect(examine(both, signed('POST', PATH, TIME, EMPTY), known)).toBeNull()
  })

  it('writes only bodies of 64 KiB or less in other ways', () => {
    const text = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
    const spaced = (length: number) => examineSpaced(text(length))
    const examineSpaced = (body: string) =>
      examine(
        posted(body),
        posts(() => sha(body.replace(':', ': '))),
        known,
      )
    expect(spaced(MAX_JSON_BYTES)).toBe('body_reserialised')
    expect(spaced(MAX_JSON_BYTES + 1)).toBeNull()
    expect(
      examine(
        posted('x'.repeat(MAX_JSON_BYTES + 1)),
        posts(() => EMPTY),
        known,
      ),
    ).toBe('hash_of_empty_body')
  })

  it('knows every hint', () => {
    expect(Object.keys(signatureHints)).toHaveLength(17)
  })
})

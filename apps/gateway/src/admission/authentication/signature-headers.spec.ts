import { readCredentialHeaders } from './credential-headers.js'
import { checkWindow, claimedKeyId, claimedTimestamp } from './signature-headers.js'

const KEY: [string, string] = ['X-Service-Key-Id', 'key_1']
const TIMESTAMP: [string, string] = ['X-Service-Timestamp', '1763719200']
const SIGNATURE: [string, string] = ['X-Service-Signature', 'ab'.repeat(32)]
const read = (...headers: [string, string][]) => readCredentialHeaders(headers.flat())

const refused = (code: string, pointer: string, fault: string) =>
  expect.objectContaining({
    code,
    details: expect.arrayContaining([expect.objectContaining({ pointer, code: fault })]),
  })

describe('signature headers', () => {
  it('are read in any order and any case of their names', () => {
    expect(read(['x-service-signature', SIGNATURE[1].toUpperCase()], TIMESTAMP, ['X-SERVICE-KEY-ID', 'key_1'])).toEqual(
      {
        keyId: 'key_1',
        timestamp: '1763719200',
        signature: SIGNATURE[1].toUpperCase(),
      },
    )
  })

  it.each([
    ['absent', [TIMESTAMP, SIGNATURE], 'X-Service-Key-Id', 'missing_header'],
    ['empty', [KEY, ['X-Service-Timestamp', ''], SIGNATURE], 'X-Service-Timestamp', 'missing_header'],
    ['sent twice, even if alike', [KEY, TIMESTAMP, SIGNATURE, SIGNATURE], 'X-Service-Signature', 'malformed_header'],
    [
      'twice with different values',
      [KEY, ['x-service-key-id', 'k2'], TIMESTAMP, SIGNATURE],
      'X-Service-Key-Id',
      'malformed_header',
    ],
    [
      'empty, then given',
      [['X-Service-Key-Id', ''], KEY, TIMESTAMP, SIGNATURE],
      'X-Service-Key-Id',
      'malformed_header',
    ],
    [
      'given, then empty',
      [KEY, ['X-Service-Key-Id', ''], TIMESTAMP, SIGNATURE],
      'X-Service-Key-Id',
      'malformed_header',
    ],
    [
      'empty twice',
      [['X-Service-Key-Id', ''], ['X-Service-Key-Id', ''], TIMESTAMP, SIGNATURE],
      'X-Service-Key-Id',
      'malformed_header',
    ],
    [
      'not ten digits',
      [KEY, ['X-Service-Timestamp', '17637192001'], SIGNATURE],
      'X-Service-Timestamp',
      'malformed_header',
    ],
    ['with a sign', [KEY, ['X-Service-Timestamp', '+763719200'], SIGNATURE], 'X-Service-Timestamp', 'malformed_header'],
    [
      'with a leading zero',
      [KEY, ['X-Service-Timestamp', '0763719200'], SIGNATURE],
      'X-Service-Timestamp',
      'malformed_header',
    ],
    ['not hex', [KEY, TIMESTAMP, ['X-Service-Signature', 'zz'.repeat(32)]], 'X-Service-Signature', 'malformed_header'],
    [
      'too short',
      [KEY, TIMESTAMP, ['X-Service-Signature', 'ab'.repeat(31)]],
      'X-Service-Signature',
      'malformed_header',
    ],
    ['no key id', [['X-Service-Key-Id', 'a b'], TIMESTAMP, SIGNATURE], 'X-Service-Key-Id', 'malformed_header'],
  ] as [string, [string, string][], string, string][])('%s are refused', (_how, headers, pointer, fault) => {
    expect(() => read(...headers)).toThrow(refused('invalid_signature', pointer, fault))
  })

  it('are reported as missing before others are reported as malformed', () => {
    expect(() => read(['X-Service-Key-Id', 'a b'], SIGNATURE)).toThrow(
      expect.objectContaining({
        details: [
          expect.objectContaining({ code: 'missing_header', pointer: 'X-Service-Timestamp' }),
          expect.objectContaining({ code: 'malformed_header', pointer: 'X-Service-Key-Id' }),
        ],
      }),
    )
  })

  it('are refused as an invalid signature when sent together with a token', () => {
    expect(() => read(KEY, TIMESTAMP, SIGNATURE, ['Authorization', 'Bearer x'])).toThrow(
      refused('invalid_signature', 'Authorization', 'malformed_header'),
    )
  })
})

describe('the replay window', () => {
  it.each([0, 300, -300])('accepts a clock that is %d s off', (skew) => {
    expect(() => checkWindow('1763719200', 1_763_719_200_999 + skew * 1000)).not.toThrow()
  })

  it.each([
    [301, '2025-11-21T10:05:01.042Z'],
    [-301, '2025-11-21T09:54:59.042Z'],
  ])('refuses a clock %d s away and returns the server time, for people and for the header', (skew, server_time) => {
    const server_unix_time = 1_763_719_200 + skew
    const details = [expect.objectContaining({ code: 'timestamp_out_of_window', server_time, server_unix_time })]
    expect(() => checkWindow('1763719200', server_unix_time * 1000 + 42)).toThrow(
      expect.objectContaining({ code: 'invalid_signature', details }),
    )
  })

  it.each([
    ['well-formed', { 'x-service-key-id': 'key_1', 'x-service-timestamp': '1763719200' }, ['key_1', '1763719200']],
    ['sent twice', { 'x-service-key-id': 'key_1, key_1', 'x-service-timestamp': '1763719200, 1' }, [null, null]],
    ['absent', {}, [null, null]],
  ])('are claims in the log of a refused request: %s', (_what, headers, claims) => {
    expect([claimedKeyId(headers), claimedTimestamp(headers)]).toEqual(claims)
  })
})

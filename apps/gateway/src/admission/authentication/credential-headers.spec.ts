import { readCredentialHeaders } from './credential-headers.js'

const authorization = (...values: string[]) => values.flatMap((value) => ['Authorization', value])
const signature = ['X-Service-Key-Id', 'key_1', 'X-Service-Timestamp', '1763719200']

describe('authentication headers', () => {
  it.each([
    ['Bearer cat_1', 'cat_1'],
    ['bearer  cat_1', 'cat_1'],
    ['BEARER a.b~c+d/e==', 'a.b~c+d/e=='],
  ])('give the token of %j', (value, token) => {
    expect(readCredentialHeaders(['Host', 'h', ...authorization(value)])).toEqual({ token })
  })

  it.each([
    [['Basic eDp5']],
    [['']],
    [['Bearer']],
    [['Bearer ']],
    [['Bearer a b']],
    [['Bearertoken']],
    [['Bearer x', 'Bearer x']],
    [['Bearer x', 'Basic eDp5']],
  ])('with Authorization %j are refused as an invalid token, with a challenge', (values) => {
    expect(() => readCredentialHeaders(authorization(...values))).toThrow(
      expect.objectContaining({
        code: 'invalid_token',
        status: 401,
        headers: { 'www-authenticate': expect.stringMatching(/^Bearer/) },
      }),
    )
  })

  it.each([[signature], [['x-service-key-id', '']]])('of both mechanisms at once are an invalid signature', (other) => {
    expect(() => readCredentialHeaders([...authorization('Bearer x'), ...other])).toThrow(
      expect.objectContaining({
        code: 'invalid_signature',
        details: [expect.objectContaining({ pointer: 'Authorization', code: 'malformed_header' })],
      }),
    )
  })

  it('that are absent count as a missing signature', () => {
    expect(() => readCredentialHeaders(['Host', 'h'])).toThrow(
      expect.objectContaining({
        code: 'invalid_signature',
        details: expect.arrayContaining([expect.objectContaining({ code: 'missing_header' })]),
      }),
    )
  })
})

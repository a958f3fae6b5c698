import { createSecretKey } from 'node:crypto'
import fc from 'fast-check'
import { EMPTY_BODY_HASH, bodyHash, canonicalText, signRequest, verifyRequest } from './canonical-request.js'

const request = {
  method: 'GET',
  path: '/api/connectivity/v1/reservations',
  timestamp: '1763719200',
  bodyHash: EMPTY_BODY_HASH,
}
const key = (secret: string) => createSecretKey(Buffer.from(secret, 'utf8'))

describe('signed requests', () => {
  it('sign four lines without a line feed at the end', () => {
    expect(canonicalText(request)).toBe(
      'GET\n/api/connectivity/v1/reservations\n1763719200\ne3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
  })

  it('match the golden vector made with openssl dgst -sha256 -hmac', () => {
    expect(signRequest('s3cret', request)).toBe('04770cb5803dda5022523270fd06f32f86f5b6b4547fb92c55f880196c584e42')
  })

  it('hash the raw bytes of the body', () => {
    expect(bodyHash(Buffer.from('{"a":1}'))).toBe('015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862')
  })

  it('accept upper-case hex', () => {
    expect(verifyRequest(key('s3cret'), request, signRequest('s3cret', request).toUpperCase())).toBe(true)
  })

  it.each(['', 'zz', 'ab'.repeat(31), `${'ab'.repeat(32)}0`])('refuse %j, which is not a signature', (text) => {
    expect(verifyRequest(key('s3cret'), request, text)).toBe(false)
  })

  it('are valid only for exactly what was signed', () => {
    const part = fc.constantFrom('method', 'path', 'timestamp', 'bodyHash')
    fc.assert(
      fc.property(part, fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (changed, addition, secret) => {
        const signature = signRequest(secret, request)
        expect(verifyRequest(key(secret), request, signature)).toBe(true)
        expect(
          verifyRequest(key(secret), { ...request, [changed]: request[changed as 'path'] + addition }, signature),
        ).toBe(false)
        expect(verifyRequest(key(secret + addition), request, signature)).toBe(false)
      }),
    )
  })
})

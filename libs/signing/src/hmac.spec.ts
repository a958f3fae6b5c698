import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { hmacSha256, isSameDigest } from './hmac.js'

const KIB = 1024

describe('HMAC-SHA-256', () => {
  it("is that of Node's createHmac for keys and texts of any length", () => {
    const bytes = fc.uint8Array({ minLength: 0, maxLength: 200 })
    fc.assert(
      fc.property(bytes, fc.string({ unit: 'binary', maxLength: 500 }), (secret, text) => {
        const key = createSecretKey(secret)
        for (const encoding of ['hex', 'base64url'] as const)
          expect(hmacSha256(key, text, encoding)).toBe(createHmac('sha256', key).update(text).digest(encoding))
      }),
    )
  })

  it.each([21 * KIB, 22 * KIB, 64 * KIB, 200 * KIB])('is right for a text of %d characters', (length) => {
    const key = createSecretKey(randomBytes(32))
    for (const text of ['a', 'é', '€'].map((one) => one.repeat(length)))
      expect(hmacSha256(key, text, 'hex')).toBe(createHmac('sha256', key).update(text).digest('hex'))
  })
})

describe('digests', () => {
  const digest = hmacSha256(createSecretKey(Buffer.from('k')), 'text', 'hex')

  it('are the same only in full', () => {
    expect(isSameDigest(digest, digest)).toBe(true)
    for (const other of ['', digest.slice(1), `${digest}0`, digest.toUpperCase(), digest.replace(/^./, 'é')])
      expect(isSameDigest(other, digest)).toBe(false)
  })

  it('that differ in one character are not the same', () => {
    for (let at = 0; at < digest.length; at++) {
      const other = digest.slice(0, at) + (digest[at] === '0' ? '1' : '0') + digest.slice(at + 1)
      expect(isSameDigest(other, digest)).toBe(false)
    }
  })
})

import { isTaggedToken, isToken, newToken } from './access-token.js'

const [key, otherKey] = ['ab'.repeat(32), 'cd'.repeat(32)]

describe('access tokens', () => {
  it('have a prefix, a tagged secret and a checksum', () => {
    const token = newToken('access', key)
    expect(token).toMatch(/^cat_[A-Za-z0-9_-]{49}$/)
    expect(newToken('access', key)).not.toBe(token)
    expect(isToken('access', token)).toBe(true)
    expect([isTaggedToken(key, token), isTaggedToken(otherKey, token)]).toEqual([true, false])
  })

  it('altered at any place are not recognised', () => {
    const token = newToken('access', key)
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'a' ? 'b' : 'a'
      expect(isToken('access', token.slice(0, index) + other + token.slice(index + 1))).toBe(false)
    }
  })

  it('cut off, extended or of another kind are not recognised', () => {
    const token = newToken('access', key)
    const session = newToken('documentation', key)
    expect(isToken('documentation', session)).toBe(true)
    for (const text of [token.slice(0, -1), `${token}a`, '', 'cat_', `x${token.slice(1)}`, `${token}\n`, session]) {
      expect(isToken('access', text)).toBe(false)
    }
  })
})

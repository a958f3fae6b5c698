import { isAccessToken, newAccessToken } from './access-token.js'

describe('access tokens', () => {
  it('have a prefix, 256 random bits and a checksum', () => {
    const token = newAccessToken()
    expect(token).toMatch(/^cat_[A-Za-z0-9_-]{49}$/)
    expect(newAccessToken()).not.toBe(token)
    expect(isAccessToken(token)).toBe(true)
  })

  it('altered at any place are not recognised', () => {
    const token = newAccessToken()
    for (let index = 0; index < token.length; index += 1) {
      const other = token[index] === 'a' ? 'b' : 'a'
      expect(isAccessToken(token.slice(0, index) + other + token.slice(index + 1))).toBe(false)
    }
  })

  it('cut off, extended or of another kind are not recognised', () => {
    const token = newAccessToken()
    for (const text of [token.slice(0, -1), `${token}a`, '', 'cat_', `x${token.slice(1)}`, `${token}\n`]) {
      expect(isAccessToken(text)).toBe(false)
    }
  })
})

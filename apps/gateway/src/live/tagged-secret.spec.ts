import { hasTag, newTaggedSecret } from './tagged-secret.js'

const [key, otherKey] = ['ab'.repeat(32), 'cd'.repeat(32)]

describe('a tagged secret', () => {
  it('has the form of 256 random bits and is recognised by the key that made it', () => {
    const secret = newTaggedSecret(key, 'cat_')
    expect(secret).toMatch(/^cat_[A-Za-z0-9_-]{43}$/)
    expect(newTaggedSecret(key, 'cat_')).not.toBe(secret)
    expect([hasTag(key, secret), hasTag(otherKey, secret)]).toEqual([true, false])
  })

  it('is not recognised once it is altered at any place, or under another prefix', () => {
    const secret = newTaggedSecret(key, 'cat_')
    const altered = (at: number) => secret.slice(0, at) + (secret[at] === 'x' ? 'y' : 'x') + secret.slice(at + 1)
    for (let at = 0; at < secret.length; at++) expect(hasTag(key, altered(at))).toBe(false)
    expect(hasTag(key, secret.replace('cat_', ''))).toBe(false)
  })
})

import { UsedNonces } from './used-nonces.js'

describe('a nonce', () => {
  it('is spent after two uses, for its whole lifetime', () => {
    const nonces = new UsedNonces(30)
    expect([100, 101].map((now) => nonces.isSpent('a', now))).toEqual([false, false])
    for (const now of [102, 115, 130, 131]) expect(nonces.isSpent('a', now)).toBe(true)
    expect(nonces.isSpent('b', 131)).toBe(false)
  })

  it('is forgotten long after its lifetime', () => {
    const nonces = new UsedNonces(30)
    for (const now of [100, 100, 100]) nonces.isSpent('a', now)
    expect(nonces.isSpent('a', 200)).toBe(false)
  })

  it('takes bounded memory: many other nonces push it out', () => {
    const nonces = new UsedNonces(30)
    for (let use = 0; use < 3; use++) nonces.isSpent('a', 100)
    for (let other = 0; other < 15_000; other++) nonces.isSpent(`o${other}`, 100)
    expect(nonces.isSpent('a', 100)).toBe(true)
    for (let other = 0; other < 50_000; other++) nonces.isSpent(`p${other}`, 100)
    expect(nonces.isSpent('a', 100)).toBe(false)
  })
})

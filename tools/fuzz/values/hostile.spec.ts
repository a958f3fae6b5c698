import fc from 'fast-check'
import { changed, distorted } from './hostile.ts'

describe('hostile documents', () => {
  it('leave the original document unchanged', () => {
    const document = { a: [1, { b: 2 }], c: 'x' }
    const before = JSON.stringify(document)
    fc.assert(
      fc.property(distorted(fc.constant(document)), (made) => {
        JSON.stringify(made)
        expect(JSON.stringify(document)).toBe(before)
      }),
    )
  })

  it('can carry a field named like the prototype', () => {
    const made = changed({ a: {} }, [{ kind: 'add', at: 1, name: '__proto__', value: { evil: true } }])
    expect(JSON.stringify(made)).toBe('{"a":{},"__proto__":{"evil":true}}')
  })
})

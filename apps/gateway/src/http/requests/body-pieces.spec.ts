import fc from 'fast-check'
import { BodyPieces } from './body-pieces.js'

const joined = (pieces: readonly Buffer[]) => {
  const all = new BodyPieces()
  for (const piece of pieces) all.add(Buffer.from(piece))
  return all.join(pieces.reduce((size, { length }) => size + length, 0))
}

describe('pieces of a body', () => {
  it('are joined in their order, whatever their sizes', () => {
    const piece = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.uint8Array({ minLength: 900, maxLength: 5_000 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 60, size: 'max' }), (given) => {
        const pieces = given.map((bytes) => Buffer.from(bytes))
        expect(joined(pieces)!.equals(Buffer.concat(pieces))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('are nothing when none came, or all were dropped', () => {
    expect(new BodyPieces().join(0)).toBeUndefined()
    const dropped = new BodyPieces()
    for (const text of ['a', 'b', 'c'.repeat(2_000)]) dropped.add(Buffer.from(text))
    dropped.drop()
    expect(dropped.join(2_002)).toBeUndefined()
  })
})

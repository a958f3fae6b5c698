import { readIdempotencyKey, readOptionalIdempotencyKey } from './idempotency-key.js'

describe('an idempotency key', () => {
  it.each([
    ['k', 'k'],
    ['"k"', 'k'],
    ['a'.repeat(255), 'a'.repeat(255)],
    [`"${'a'.repeat(255)}"`, 'a'.repeat(255)],
    ['a"b', 'a"b'],
    ['~!', '~!'],
  ])('%s is the key %s', (value, key) => expect(readIdempotencyKey([value])).toBe(key))

  it.each([[[]], [['']]])('is required: %j', (values) => {
    expect(() => readIdempotencyKey(values)).toThrow(expect.objectContaining({ code: 'idempotency_key_required' }))
  })

  it.each([
    [['""']],
    [['"']],
    [['"a']],
    [['a"']],
    [['a b']],
    [['é']],
    [['a'.repeat(256)]],
    [['"a"b"']],
    [['a', 'a']],
    [['a\tb']],
  ])('is refused: %j', (values) => {
    expect(() => readIdempotencyKey(values)).toThrow(expect.objectContaining({ code: 'invalid_idempotency_key' }))
  })

  it('may be absent where it is optional; empty counts as absent', () => {
    expect(readOptionalIdempotencyKey([])).toBeNull()
    expect(readOptionalIdempotencyKey([''])).toBeNull()
    expect(readOptionalIdempotencyKey(['"k"'])).toBe('k')
    expect(() => readOptionalIdempotencyKey(['"'])).toThrow(
      expect.objectContaining({ code: 'invalid_idempotency_key' }),
    )
  })
})

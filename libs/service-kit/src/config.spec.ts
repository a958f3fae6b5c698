import { as } from './config.js'

const key = (fill: number) => Buffer.alloc(32, fill).toString('base64')

describe('a ring of keys', () => {
  it('holds them by id, the current one first', () => {
    expect([...as.keyRing(`new:${key(2)}, old:${key(1)}`)]).toEqual([
      ['new', Buffer.alloc(32, 2)],
      ['old', Buffer.alloc(32, 1)],
    ])
  })

  it.each([
    '',
    ',',
    key(1),
    `:${key(1)}`,
    `a:${key(1)}:b`,
    `a:${key(1).slice(4)}`,
    `a:${key(1)},a:${key(2)}`,
    `${'x'.repeat(33)}:${key(1)}`,
    `a b:${key(1)}`,
  ])('is not %j', (text) => expect(() => as.keyRing(text)).toThrow('must be'))
})

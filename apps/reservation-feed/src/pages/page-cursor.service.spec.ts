import { ServiceError } from '@connectivity/contracts/errors'
import fc from 'fast-check'
import { PageCursor } from './page-cursor.service.js'

const key = (fill: number) => Buffer.alloc(32, fill)
const cursors = new PageCursor(new Map([['c1', key(1)]]))
const position = { since: 1_763_719_200_000, after: 1_763_719_200_123 }
const cursor = cursors.seal('con_1', position)
const refused = (text: string, connection = 'con_1', by = cursors) => {
  const open = () => by.open(connection, text)
  expect(open).toThrow(ServiceError)
  expect(open).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
}

describe('page cursors', () => {
  it('open to what was sealed', () => {
    expect(cursors.open('con_1', cursor)).toEqual(position)
  })

  it('serve their own connection only', () => refused(cursor, 'con_2'))

  it('are refused when any character is changed, dropped or added', () => {
    const index = fc.nat({ max: cursor.length - 1 })
    const alphabet = fc.constantFrom(...'ABCXYZabcxyz0189-_=+/ .')
    fc.assert(
      fc.property(index, alphabet, (at, character) => {
        fc.pre(cursor[at] !== character)
        refused(cursor.slice(0, at) + character + cursor.slice(at + 1))
        refused(cursor.slice(0, at) + character + cursor.slice(at))
        refused(cursor.slice(0, at) + cursor.slice(at + 1))
      }),
    )
  })

  it.each(['', 'x', '====', 'AAAA', 'eyJhIjoxfQ', '\u{1f600}'])('refuse %j', (text) => refused(text))

  it('survive the rotation of keys until their key is retired', () => {
    const rotated = new PageCursor(
      new Map([
        ['c2', key(2)],
        ['c1', key(1)],
      ]),
    )
    expect(rotated.open('con_1', cursor)).toEqual(position)
    refused(rotated.seal('con_1', position))
    refused(cursor, 'con_1', new PageCursor(new Map([['c2', key(2)]])))
  })
})

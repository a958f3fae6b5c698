import fc from 'fast-check'
import { jsonFields } from './json-fields.js'

describe('the fields of a JSON text', () => {
  it('are the texts of its values, with any content', () => {
    const name = fc.stringMatching(/^[a-z_]{1,10}$/)
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue({ stringUnit: 'grapheme' })), (object) => {
        const expected = Object.entries(object).map(([key, value]) => [key, JSON.stringify(value)])
        expect([...jsonFields(JSON.stringify(object))]).toEqual(expected)
      }),
    )
  })

  it.each([
    ['{}', []],
    ['{"a":412.50}', [['a', '412.50']]],
    [
      '{"a":"\\\\\\"}],","b":[{"c":"]"}]}',
      [
        ['a', '"\\\\\\"}],"'],
        ['b', '[{"c":"]"}]'],
      ],
    ],
  ])('of %s', (text, fields) => expect([...jsonFields(text)]).toEqual(fields))
})

import { checkWord, readPageLimit, readParameter, readTogether } from './query-parameters.js'

describe('query parameters', () => {
  it.each([
    ['', null],
    ['limit=5', null],
    ['property_id=con_1', 'con_1'],
    ['limit=5&property_id=con%5F1', 'con_1'],
    ['property%5Fid=con_1', 'con_1'],
    ['property_id=a+b', 'a b'],
    ['property_ids=1', null],
  ])('of %j are read', (query, value) => {
    expect(readParameter(query, 'property_id')).toBe(value)
  })

  it('of words are read, and others are refused with all words', () => {
    const words = ['open', 'closed'] as const
    expect([checkWord('open', 'state', words), checkWord(undefined, 'state', words)]).toEqual(['open', null])
    const message = 'state must be one of open, closed.'
    expect(() => checkWord('Open', 'state', words)).toThrow(
      expect.objectContaining({ details: [{ pointer: 'state', code: 'unknown_value', message }] }),
    )
  })

  it.each([
    ['property_id=a&property_id=a', 'repeated'],
    ['property_id[]=a', 'array'],
    ['property_id%5B%5D=a', 'array'],
    ['property_id=', 'empty'],
    ['property_id', 'empty'],
    ['property_id=a%00', 'nul'],
    [`property_id=${'a'.repeat(1025)}`, 'too_long'],
    [`property_id=${'é'.repeat(513)}`, 'too_long'],
  ])('%j are refused as %s', (query, code) => {
    expect(() => readParameter(query, 'property_id')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [expect.objectContaining({ pointer: 'property_id', code })],
      }),
    )
  })

  it('that are read together are refused together', () => {
    const read = (query: string) =>
      readTogether({ limit: () => readPageLimit(query), cursor: () => readParameter(query, 'cursor') })
    expect(read('limit=7&cursor=c')).toEqual({ limit: 7, cursor: 'c' })
    const refused = (query: string, ...pointers: string[]) =>
      expect(() => read(query)).toThrow(
        expect.objectContaining({ details: pointers.map((pointer) => expect.objectContaining({ pointer })) }),
      )
    refused('limit=0&cursor=c', 'limit')
    refused('limit=0&cursor=', 'limit', 'cursor')
  })
})

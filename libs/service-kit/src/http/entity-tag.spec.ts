import { matchesTag } from './entity-tag.js'

describe('If-None-Match', () => {
  it.each([
    ['W/"a"', true],
    ['"a"', true],
    ['W/"b", W/"a"', true],
    ['*', true],
    ['W/"b"', false],
    [undefined, false],
  ])('matches If-None-Match %s: %s', (header, matches) => expect(matchesTag(header, 'W/"a"')).toBe(matches))
})

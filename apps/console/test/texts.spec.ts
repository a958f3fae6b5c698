import { isWholeNumber, messageText, reservationIdsOf, wholeNumberOf } from '../src/pages/texts.ts'

it.each([
  ['1200', 1_200],
  ['1,200', 1_200],
  [' 1,200,000 ', 1_200_000],
  ['0', 0],
])('%p is a whole number', (text, number) => {
  expect(isWholeNumber(text)).toBe(true)
  expect(wholeNumberOf(text)).toBe(number)
})

it.each(['', '1e3', '1.200', '1,20', ',200', '1200,000', '-5', '0x10', '1 200'])('%p is not a whole number', (text) => {
  expect(isWholeNumber(text)).toBe(false)
})

it('a line is an id with all its spaces and commas; empty lines are skipped', () => {
  expect(reservationIdsOf('RSV 1120,a\r\n\n  RSV-2\nRSV-3\r\n')).toEqual(['RSV 1120,a', '  RSV-2', 'RSV-3'])
  expect(reservationIdsOf('\n\r\n')).toEqual([])
})

describe('a message', () => {
  it.each(['{"name": "Zoë"}', 'a\tb\r\nc\n', '', '\ufeff{}', '𝄞'])('is text: %j', (text) => {
    expect(messageText(Buffer.from(text))).toBe(text)
  })

  it.each([
    ['NUL', '\u0000'],
    ['form feed', '\u000c'],
    ['escape', '\u001b'],
    ['delete', '\u007f'],
    ['next line, of C1', '\u0085'],
    ['control sequence introducer, of C1', '\u009b'],
  ])('is shown as bytes when it holds the control character %s', (_name, character) => {
    expect(messageText(Buffer.from(`a${character}b`))).toBeNull()
  })

  it('is shown as bytes when it is not UTF-8', () => expect(messageText(Buffer.from([0xff, 0xfe]))).toBeNull())
})

import { messageText } from '../src/pages/message-text.js'

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

import fc from 'fast-check'
import { responseExcerpt } from './response-excerpt.js'

const bytes = (text: string) => Buffer.from(text)

describe('the excerpt of an answer', () => {
  it.each([
    ['', null],
    ['\r\n\t\0', null],
    ['{"error":"no"}\r\n', '{"error":"no"}'],
    ['a\u0085b\u007fc', 'abc'],
    ['x'.repeat(2_000), 'x'.repeat(1_024)],
    [`x${'é'.repeat(1_000)}`, `x${'é'.repeat(511)}`],
  ])('of %j is %j', (text, excerpt) => {
    expect(responseExcerpt(bytes(text))).toBe(excerpt)
  })

  it('replaces invalid UTF-8 and leaves out a letter that is cut off at the end', () => {
    expect(responseExcerpt(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\ufffdb')
    expect(responseExcerpt(bytes('a🙂').subarray(0, 3))).toBe('a')
  })

  it('never exceeds 1 KiB', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_024 }), (given) => {
        expect(Buffer.byteLength(responseExcerpt(Buffer.from(given)) ?? '')).toBeLessThanOrEqual(1_024)
      }),
    )
  })
})

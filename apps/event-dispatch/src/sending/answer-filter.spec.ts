import { ANSWER_LIMITS, AnswerFilter } from './answer-filter.js'

const { interim, headBytes, headLines, behindHead, pieces } = ANSWER_LIMITS
const HEAD = 'HTTP/1.1 200 OK\r\nserver: x\r\n\r\n'
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'

/** Returns the bytes that undici gets of an answer that arrives in these pieces; null if the filter breaks. */
function passed(...texts: string[]): string | null {
  const filter = new AnswerFilter()
  const bytes = texts.map((text) => filter.take(Buffer.from(text)))
  return filter.isBroken ? null : Buffer.concat(bytes).toString()
}
const piecesOf = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size))

describe('the filter of answers', () => {
  it('passes on the final head in one piece, however it arrives, and the rest as it comes', () => {
    const text = `\r\n${HINT}HTTP/1.1 100 Continue\r\n\r\n${HEAD}body`
    for (let size = 1; size <= text.length; size += 1)
      expect([size, passed(...piecesOf(text, size))]).toEqual([size, `${HEAD}body`])
    const filter = new AnswerFilter()
    const seen = piecesOf(text, 1).map((one) => filter.take(Buffer.from(one)).length)
    expect(seen.filter((length) => length > 0)).toEqual([HEAD.length, 1, 1, 1, 1])
  })

  it('passes on an answer whose lines end in LF alone', () => {
    expect(passed('HTTP/1.1 200 OK\nserver: x\n\nbody')).toBe('HTTP/1.1 200 OK\nserver: x\n\nbody')
  })

  it('breaks at the fifth interim answer', () => {
    expect(passed(HINT.repeat(interim) + HEAD)).toBe(HEAD)
    expect(passed(HINT.repeat(interim + 1))).toBeNull()
  })

  it('breaks when the head exceeds 64 KiB, interim answers included, but not when head and body together do', () => {
    const longest = (before: string) => {
      const frame = 'HTTP/1.1 200 OK\r\nx: \r\n\r\n'
      return `${before}${frame.replace('x: ', `x: ${'y'.repeat(headBytes - frame.length - before.length)}`)}`
    }
    for (const before of ['', HINT]) {
      expect(passed(longest(before))).toHaveLength(headBytes - before.length)
      expect(passed(`${longest(before)}body`)).toHaveLength(headBytes - before.length + 4)
      expect(passed(longest(before).replace('y', 'yy'))).toBeNull()
    }
  })

  it('breaks when the head has more than 512 lines', () => {
    const lines = (count: number) => `HTTP/1.1 200 OK\r\n${'a:\r\n'.repeat(count - 2)}\r\n`
    expect(passed(lines(headLines))).toBe(lines(headLines))
    expect(passed(lines(headLines + 1))).toBeNull()
    expect(passed('\r\n'.repeat(headLines + 1))).toBeNull()
  })

  it('passes on 17 KiB after the head, then breaks', () => {
    const filter = new AnswerFilter()
    expect(filter.take(Buffer.from(HEAD + 'x'.repeat(behindHead)))).toHaveLength(HEAD.length + behindHead)
    expect([filter.isBroken, filter.take(Buffer.from('x')).length, filter.isBroken]).toEqual([false, 0, true])
    expect(new AnswerFilter().take(Buffer.from(HEAD + 'x'.repeat(behindHead + 1)))).toHaveLength(
      HEAD.length + behindHead,
    )
  })

  it('breaks when the answer arrives in more than 2,048 pieces', () => {
    const drip = (count: number) => passed(...piecesOf(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(count)}`.slice(0, count), 1))
    expect([drip(pieces), drip(pieces + 1)]).toEqual(['', null])
  })

  it.each(['220 mail.example.com', '\x15\x03\x01', 'h', 'HTTP/2 200 OK', 'HTTP/1.1 099', 'HTTP/1.1 101', 'HTTP/1\r\n'])(
    'breaks at %j, before a line end',
    (text) => {
      expect(passed(text)).toBeNull()
    },
  )

  it('applies the limits to each answer of a connection separately, including the bytes after it', () => {
    const filter = new AnswerFilter()
    for (let answer = 0; answer < 20; answer += 1) {
      expect(filter.take(Buffer.from(HINT.repeat(interim) + HEAD)).toString()).toBe(HEAD)
      expect(filter.take(Buffer.from('\r\n'.repeat(behindHead / 2)))).toHaveLength(behindHead)
      filter.begin()
    }
    filter.take(Buffer.from(HEAD + '\r\n'.repeat(behindHead)))
    expect(filter.isBroken).toBe(true)
  })
})

import { preferredWait, readWait } from './waiting.js'

describe('the wait of a request', () => {
  it.each([
    ['', null],
    ['limit=5', null],
    ['wait=0', 0],
    ['wait=7&limit=5', 7],
    ['wait=25', 25],
  ])('reads %j as %p', (query, seconds) => {
    expect(readWait(query)).toBe(seconds)
  })

  it.each(['05', '+5', '26', '-1', '1.5', '1e1', '%205', 'ten', '999'])('refuses wait=%s', (text) => {
    expect(() => readWait(`wait=${text}`)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [expect.objectContaining({ pointer: 'wait' })],
      }),
    )
  })
})

describe('the preference wait', () => {
  it.each([
    ['wait=10', 10],
    ['WAIT=10', 10],
    ['wait="2"', 2],
    ['wait = 3', 3],
    ['respond-async, wait=4', 4],
    ['foo="a,wait=9", wait=5;x=y', 5],
    ['wait=6, wait=7', 6],
    ['wait=0', 0],
  ])('reads %j as %p', (header, seconds) => {
    expect(preferredWait(header)).toBe(seconds)
  })

  it.each([undefined, '', 'wait', 'wait=', 'wait=26', 'wait=05', 'wait="', 'waiting=5', 'await=5'])(
    'ignores %j',
    (header) => {
      expect(preferredWait(header)).toBeNull()
    },
  )

  it.each([',,', ',"",', '"', 'wait= '])('costs at most 20 ms in a header that repeats %j', (text) => {
    const header = `wait=${text.repeat(Math.floor(15_000 / text.length))}"`
    const before = process.threadCpuUsage()
    expect(preferredWait(header)).toBeNull()
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(20)
  })
})

import { currentTraceparent, traceFrom, traceparentOf, withinTrace } from './trace-context.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

describe('a trace', () => {
  it('is the one that the caller names, with a new span and unchanged flags', () => {
    const trace = traceFrom(`00-${TRACE}-${SPAN}-01`)
    expect(trace).toEqual({ traceId: TRACE, spanId: expect.stringMatching(/^[0-9a-f]{16}$/), flags: '01' })
    expect(trace.spanId).not.toBe(SPAN)
    expect(traceparentOf(trace)).toBe(`00-${TRACE}-${trace.spanId}-01`)
  })

  it('of a later version is read by the rules of version 00', () => {
    expect(traceFrom(`01-${TRACE}-${SPAN}-01-more`).traceId).toBe(TRACE)
  })

  it.each([
    undefined,
    '',
    'garbage',
    ['00', TRACE],
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ])('begins here when the header is %j', (header) => {
    const trace = traceFrom(header as string)
    expect(traceparentOf(trace)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    expect(trace.traceId).not.toBe(TRACE)
  })

  it('is known to all work within it, and to no other', async () => {
    const trace = traceFrom(undefined)
    await withinTrace(trace, async () => {
      await new Promise(setImmediate)
      expect(currentTraceparent()).toBe(traceparentOf(trace))
    })
    expect(currentTraceparent()).toBeNull()
  })
})

import { retryAfterSeconds } from './retry-after.js'

const now = Date.parse('2026-11-20T10:00:00.500Z')

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120],
    ['Fri, 20 Nov 2026 10:01:00 GMT', 60],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
  ])('%j is %d s', (header, seconds) => expect(retryAfterSeconds(header, now)).toBe(seconds))

  it.each([
    ...[undefined, '', 'soon', '-1', '1.5', '+1', ' 1', '1e3', '12345678901', ['1', '2']],
    ...['2026-11-20T10:01:00Z', 'Fri, 20 Nov 2026 10:01:00 +0100', 'Fri, 99 Nov 2026 10:01:00 GMT'],
  ])('%j is unreadable', (header) => expect(retryAfterSeconds(header, now)).toBeNull())
})

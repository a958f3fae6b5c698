import fc from 'fast-check'
import { formatTimestamp, isCalendarDate, parseBound, parseCheckpoint, parseTimestamp } from './time.js'

describe('calendar dates', () => {
  it.each(['2026-12-01', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is one', (text) => {
    expect(isCalendarDate(text)).toBe(true)
  })

  it.each([
    '0000-01-01',
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-04-31',
    '2026-1-1',
    '20260101',
    ' 2026-01-01',
    '',
  ])('%p is none', (text) => {
    expect(isCalendarDate(text)).toBe(false)
  })
})

describe('timestamps', () => {
  it.each([
    ['2026-11-20T10:15:30Z', '2026-11-20T10:15:30.000Z'],
    ['2026-11-20T10:15:30.1Z', '2026-11-20T10:15:30.100Z'],
    ['2026-11-20T10:15:30.123Z', '2026-11-20T10:15:30.123Z'],
    ['2026-11-20T10:15:30.123000000Z', '2026-11-20T10:15:30.123Z'],
    ['2026-11-20T10:15:30.123000001Z', '2026-11-20T10:15:30.124Z'],
    ['2026-12-31T23:59:59.999999999Z', '2027-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-11-20T10:15:30+05:45', '2026-11-20T04:30:30.000Z'],
    ['2026-11-20T10:15:30-00:00', '2026-11-20T10:15:30.000Z'],
    ['1970-01-01T02:00:00+02:00', '1970-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, time) => {
    expect(formatTimestamp(parseTimestamp(text)!)).toBe(time)
  })

  it.each([
    '2026-11-20',
    '2026-11-20T10:15Z',
    '2026-11-20T10:15:30',
    '2026-11-20t10:15:30z',
    '2026-11-20 10:15:30Z',
    '2026-11-20T10:15:30+0200',
    '2026-11-20T10:15:30 02:00',
    '2026-11-20T10:15:30+24:00',
    '2026-02-30T10:15:30Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T10:15:60Z',
    '2026-11-20T10:15:30.Z',
    '2026-11-20T10:15:30.1234567890Z',
    '10000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-00:01',
    '2026-11-20T10:15:30Z\n',
    '',
  ])('%p is unreadable', (text) => {
    expect(parseTimestamp(text)).toBeNull()
  })

  it('give back every millisecond that was written', () => {
    const time = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) })
    fc.assert(fc.property(time, (value) => parseTimestamp(formatTimestamp(value)) === value))
  })
})

describe('bounds of lists', () => {
  it('are rounded up', () => {
    expect(parseBound('2026-11-20T10:15:30.1239999Z')).toBe(Date.parse('2026-11-20T10:15:30.124Z'))
  })

  it.each(['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00+01:00', '2026-11-20', 'now'])('%s is none', (text) => {
    expect(parseBound(text)).toBeNull()
  })
})

describe('checkpoints', () => {
  it.each([
    ['2026-11-20T10:15:30.1239999Z', '2026-11-20T10:15:30.123Z'],
    ['2026-11-20T12:15:30.999999999+02:00', '2026-11-20T10:15:30.999Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ])('%s is rounded down to %s', (text, time) => {
    expect(parseCheckpoint(text)).toBe(Date.parse(time))
  })

  it.each(['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00+01:00', '2026-11-20', 'now'])('%s is none', (text) => {
    expect(parseCheckpoint(text)).toBeNull()
  })
})

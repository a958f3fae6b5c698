import { dateOf, dayOf, today, weekdayOf } from './calendar.js'

const at = (timezone: string, time: string) => dateOf(today(timezone, Date.parse(time)))

describe("the property's today", () => {
  it('differs by two days between UTC-11 and UTC+14', () => {
    const time = '2026-11-20T10:30:00Z'
    expect(at('Pacific/Kiritimati', time)).toBe('2026-11-21')
    expect(at('Pacific/Pago_Pago', time)).toBe('2026-11-19')
  })

  it.each([
    ['Pacific/Kiritimati', '2026-11-20T09:59:59.999Z', '2026-11-20'],
    ['Pacific/Kiritimati', '2026-11-20T10:00:00Z', '2026-11-21'],
    ['Pacific/Pago_Pago', '2026-11-20T10:59:59.999Z', '2026-11-19'],
    ['Pacific/Pago_Pago', '2026-11-20T11:00:00Z', '2026-11-20'],
    ['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
    ['Europe/Berlin', '2026-06-30T21:59:59Z', '2026-06-30'],
    ['Asia/Kathmandu', '2026-11-20T18:15:00Z', '2026-11-21'],
    ['Asia/Tehran', '2026-11-20T12:00:00Z', '2026-11-20'],
  ])('in %s at %s is %s', (timezone, time, date) => expect(at(timezone, time)).toBe(date))

  it('is that of UTC in an unknown time zone', () => {
    expect(at('Atlantis/Capital', '2026-11-20T23:59:59.999Z')).toBe('2026-11-20')
    expect(at('', '2026-11-21T00:00:00Z')).toBe('2026-11-21')
  })
})

describe('days', () => {
  it.each([
    ['2026-11-16', 0],
    ['2026-11-21', 5],
    ['2028-02-29', 1],
    ['1969-12-31', 2],
    ['2000-01-01', 5],
  ])('%s is weekday %i', (date, weekday) => {
    expect([dateOf(dayOf(date)), weekdayOf(dayOf(date))]).toEqual([date, weekday])
  })

  it('are counted across clock changes and leap days', () => {
    expect(dayOf('2027-03-29') - dayOf('2027-03-28')).toBe(1)
    expect(dayOf('2028-03-01') - dayOf('2028-02-28')).toBe(2)
  })
})

import { todayAt } from '../src/connection/month.js'

describe('today', () => {
  it('is the date at the property', () => {
    const dates = [todayAt('Pacific/Kiritimati'), todayAt('Pacific/Niue')]
    expect(dates[0]! > dates[1]!).toBe(true)
  })

  it.each([null, 'Mars/Olympus'])('is the date in UTC for the time zone %p', (timezone) => {
    expect(todayAt(timezone)).toBe(new Date().toISOString().slice(0, 10))
  })
})

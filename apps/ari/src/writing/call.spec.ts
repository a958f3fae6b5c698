import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import { isSmall } from './call.js'

const update = (date_to: string, given: Partial<AriUpdateWrite> = {}): AriUpdateWrite => ({
  room_id: 'rm_1',
  date_from: '2027-01-01',
  date_to,
  ...given,
})
const isSmallCall = (...updates: AriUpdateWrite[]) => isSmall({ property_id: 'con_1', updates })

describe('a call is small', () => {
  it('with up to 100 days in all of its updates', () => {
    expect(isSmallCall(update('2027-04-10'))).toBe(true)
    expect(isSmallCall(update('2027-04-11'))).toBe(false)
    expect(isSmallCall(update('2027-02-19'), update('2027-02-19'))).toBe(true)
    expect(isSmallCall(update('2027-02-19'), update('2027-02-20'))).toBe(false)
  })

  it('counting each of several prices for a day, and one day for an inverted range', () => {
    const rates = [1, 2].map((occupancy) => ({ occupancy, amount: '1.00' }))
    expect(isSmallCall(update('2027-02-19', { rates }))).toBe(true)
    expect(isSmallCall(update('2027-02-20', { rates }))).toBe(false)
    expect(isSmallCall(...Array.from({ length: 100 }, () => update('2026-01-01')))).toBe(true)
    expect(isSmallCall(...Array.from({ length: 101 }, () => update('2026-01-01')))).toBe(false)
  })
})

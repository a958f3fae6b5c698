import { validateSync } from 'class-validator'
import { RedeliverReservations } from './operators-api.js'

const faults = (body: object): string[] =>
  validateSync(Object.assign(new RedeliverReservations(), { reason: 'r', ...body }), {
    whitelist: true,
    forbidNonWhitelisted: true,
  }).map(({ property }) => property)

describe('the choice of reservations to deliver again', () => {
  it('is a list of ids or a range of arrivals with at least one bound', () => {
    for (const body of [
      { reservation_ids: ['RSV-1', 'RSV-1'] },
      { check_in_from: '2026-12-01' },
      { check_in_to: '2026-12-01' },
      { check_in_from: '2026-12-01', check_in_to: '2026-12-01' },
    ]) {
      expect(faults(body)).toEqual([])
    }
  })

  it('is not both, and not empty', () => {
    expect(faults({})).toEqual(['reservation_ids'])
    const both = { reservation_ids: ['RSV-1'], check_in_from: '2026-12-01', check_in_to: '2026-12-02' }
    expect(faults(both)).toEqual(['check_in_from', 'check_in_to'])
  })

  it('has at most 1,000 ids, each valid in messages', () => {
    expect(faults({ reservation_ids: Array(1000).fill('RSV-1') })).toEqual([])
    for (const reservation_ids of [
      Array(1001).fill('RSV-1'),
      [],
      [''],
      [7],
      [null],
      null,
      'RSV-1',
      ['a\0b'],
      ['é'.repeat(129)],
    ]) {
      expect(faults({ reservation_ids })).toEqual(['reservation_ids'])
    }
  })

  it('is a range of days that exist, from the first to the last', () => {
    expect(faults({ check_in_from: '2026-02-30' })).toEqual(['check_in_from'])
    expect(faults({ check_in_to: null })).toEqual(['check_in_to'])
    expect(faults({ check_in_from: '2026-12-02', check_in_to: '2026-12-01' })).toEqual(['check_in_to'])
  })
})

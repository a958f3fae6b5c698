import { reservationIdsOf } from '../src/pages/reservation-ids.ts'

it('a line is an id with all its spaces and commas; empty lines are skipped', () => {
  expect(reservationIdsOf('RSV 1120,a\r\n\n  RSV-2\nRSV-3\r\n')).toEqual(['RSV 1120,a', '  RSV-2', 'RSV-3'])
  expect(reservationIdsOf('\n\r\n')).toEqual([])
})

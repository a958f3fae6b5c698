import { changeBetween } from './event-change.js'

const body = (given: object = {}) =>
  JSON.stringify({
    reservation_id: 'R',
    status: 'confirmed',
    cancelled: false,
    updated_at: 'x',
    guest: { first_name: 'A' },
    ...given,
  })

describe('a change of a reservation', () => {
  it('is a creation when the partner never saw it', () => {
    expect(changeBetween(null, body())).toEqual({ type: 'reservation.created', previousStatus: null, changes: [] })
  })

  it('is a cancellation without predecessor when it is first seen cancelled', () => {
    expect(changeBetween(null, body({ status: 'cancelled', cancelled: true }))).toEqual({
      type: 'reservation.cancelled',
      previousStatus: null,
      changes: [],
    })
  })

  it('names the top-level fields that differ, never updated_at', () => {
    expect(changeBetween(body(), body({ guest: { first_name: 'B' }, updated_at: 'y' }))).toEqual({
      type: 'reservation.modified',
      previousStatus: 'confirmed',
      changes: ['guest'],
    })
  })

  it('names status and cancelled in a cancellation', () => {
    expect(changeBetween(body(), body({ status: 'cancelled', cancelled: true }))).toEqual({
      type: 'reservation.cancelled',
      previousStatus: 'confirmed',
      changes: ['status', 'cancelled'],
    })
  })

  it('is a modification when a cancelled one changes or comes back', () => {
    const cancelled = body({ status: 'cancelled', cancelled: true })
    expect(changeBetween(cancelled, body())!.type).toBe('reservation.modified')
    expect(changeBetween(cancelled, body({ status: 'cancelled', cancelled: true, guest: null }))!.type).toBe(
      'reservation.modified',
    )
  })

  it('is none when nothing differs', () => {
    expect(changeBetween(body(), body({ updated_at: 'y' }))).toBeNull()
  })

  it('tells 412.50 from 412.5', () => {
    const amount = (digits: string) => body({ total_amount: 0 }).replace('"total_amount":0', `"total_amount":${digits}`)
    expect(changeBetween(amount('412.50'), amount('412.5'))!.changes).toEqual(['total_amount'])
  })
})

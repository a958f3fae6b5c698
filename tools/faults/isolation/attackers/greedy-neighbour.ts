import { dateIn } from '../../../../deploy/local/demo/dates.ts'
import { HOTEL_ROOMS, type Target } from '../target.ts'
import { keepOpen, requestBytes } from './raw-connections.ts'

const AT_ONCE = 20
const [FIRST_DAY, LAST_DAY] = [30, 360]

/** Writes prices of a year for all rooms of the hotel but the healthy partner's, many calls at once. */
export function greedyNeighbour(target: Target): void {
  const partner = target.partners[0]!
  let sent = 0
  const call = () => {
    const amount = `${100 + (sent++ % 900)}.00`
    const updates = HOTEL_ROOMS.slice(1).map((room_id) => ({
      room_id,
      rate_plan_id: 'rp_flex',
      date_from: dateIn(FIRST_DAY),
      date_to: dateIn(LAST_DAY),
      rates: [{ amount }],
    }))
    return JSON.stringify({ property_id: partner.connection, currency: 'EUR', updates })
  }
  keepOpen(target, AT_ONCE, (socket) => {
    const next = () => socket.write(requestBytes({ method: 'POST', path: '/ari', body: call() }, partner))
    socket.on('data', next)
    next()
  })
}

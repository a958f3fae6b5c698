import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import { connectionCatalog } from '../../test/catalog.js'
import { propertyCatalog } from '../catalogs/property-catalog.js'
import { dayOf } from '../calendar/calendar.js'
import { judge } from './judgement.js'

const catalog = propertyCatalog(connectionCatalog())
const dates = { date_from: '2026-12-01', date_to: '2026-12-07' }
const ofRoom = (given: object): AriUpdateWrite => ({ room_id: 'rm_1', ...dates, ...given })
const judged = (updates: AriUpdateWrite[]) => judge({ property_id: 'con_1', updates }, catalog, dayOf('2026-11-20'))

describe('availability above the units of the room', () => {
  const warned = (updates: AriUpdateWrite[]) =>
    judged(updates).warnings.map(({ code, pointer }) => `${pointer} ${code}`)

  it('is a warning for each update, not a fault', () => {
    const many = [10, 11, 99_999].map((availability) => ofRoom({ availability }))
    const apart = many.map((update, index) => ({ ...update, room_id: ['rm_1', 'rm_2', 'rm_3'][index]! }))
    expect(judged(apart).faults).toEqual([])
    expect(warned(apart)).toEqual([
      '/updates/1/availability above_total_units',
      '/updates/2/availability above_total_units',
    ])
  })

  it('points at the update, whichever of its two ids names the room', () => {
    const update = ofRoom({ room_id: undefined, external_room_id: 'R1', availability: 11 })
    expect(judged([update]).warnings).toEqual([
      {
        code: 'above_total_units',
        pointer: '/updates/0/availability',
        message: 'The room has 10 units; lower `availability` unless you oversell on purpose.',
      },
    ])
  })

  it('leaves out updates without availability and updates of unknown rooms', () => {
    expect(
      warned([
        ofRoom({ rate_plan_id: 'rp_flex', restrictions: { stop_sell: true } }),
        ofRoom({ room_id: 'rm_old', availability: 11 }),
      ]),
    ).toEqual([])
  })
})

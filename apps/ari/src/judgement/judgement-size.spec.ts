import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import { catalogRatePlan, catalogRoom, connectionCatalog } from '../../test/catalog.js'
import { dateOf, dayOf } from '../calendar/calendar.js'
import { propertyCatalog } from '../catalogs/property-catalog.js'
import { judge } from './judgement.js'

const TODAY = dayOf('2026-11-20')

describe('the number of cells', () => {
  const rooms = Array.from({ length: 100 }, (_, index) => catalogRoom(`rm_${index}`))
  const large = propertyCatalog(connectionCatalog({ rooms }))
  const days = (room: number, count: number): AriUpdateWrite => ({
    room_id: `rm_${room}`,
    date_from: '2026-12-01',
    date_to: dateOf(dayOf('2026-12-01') + count - 1),
    availability: 1,
  })
  const judgedLarge = (updates: AriUpdateWrite[]) => judge({ property_id: 'con_1', updates }, large, TODAY)

  it('is 50,000 at most', () => {
    const full = rooms.map((_, room) => days(room, 500))
    expect(judgedLarge(full)).toMatchObject({ faults: [], cells: 50_000 })
    const { faults: found, runs } = judgedLarge([...full.slice(1), days(0, 501)])
    expect(found).toMatchObject([{ pointer: '/updates', code: 'too_many_cells' }])
    expect(runs).toEqual([])
  })

  it('counts a cell once, however many updates name it', () => {
    const updates = Array.from({ length: 1_000 }, (_, index) => days(index % 50, 700))
    expect(judgedLarge(updates)).toMatchObject({ faults: [], cells: 35_000 })
  })
})

describe('the number of prices', () => {
  const rooms = Array.from({ length: 68 }, (_, index) => catalogRoom(`rm_${index}`))
  const occupancies = Array.from({ length: 50 }, (_, index) => index + 1)
  const plan = catalogRatePlan('rp_occ', {
    room_service_ids: rooms.map(({ service_id }) => service_id),
    pricing_model: 'per_occupancy',
    occupancies,
  })
  const catalog = propertyCatalog(connectionCatalog({ rooms, rate_plans: [plan] }))
  const priced = (room: number, days: number, most: number): AriUpdateWrite => ({
    room_id: `rm_${room}`,
    rate_plan_id: 'rp_occ',
    date_from: '2026-12-01',
    date_to: dateOf(dayOf('2026-12-01') + days - 1),
    rates: occupancies.slice(0, most).map((occupancy) => ({ occupancy, amount: '100.00' })),
  })
  const judgedPrices = (updates: AriUpdateWrite[]) =>
    judge({ property_id: 'con_1', currency: 'EUR', updates }, catalog, TODAY)

  it('is 500,000 at most: ten occupancies for each of 50,000 cells', () => {
    const full = Array.from({ length: 50 }, (_, room) => priced(room, 500, 20))
    expect(judgedPrices(full)).toMatchObject({ faults: [], cells: 25_000 })
    const { faults, runs } = judgedPrices([...full, priced(50, 1, 1)])
    expect(faults).toEqual([
      {
        pointer: '/updates',
        code: 'too_many_cells',
        message: 'The updates give 500001 prices; send at most 500000 in one call.',
      },
    ])
    expect(runs).toEqual([])
  })

  it('counts a price once, however many updates give it', () => {
    const updates = Array.from({ length: 100 }, () => priced(0, 700, 50))
    expect(judgedPrices(updates)).toMatchObject({ faults: [], cells: 700 })
  })
})

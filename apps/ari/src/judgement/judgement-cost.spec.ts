import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'
import { leastCostOf, MAX_CPU, MAX_HEAP } from '@connectivity/testing/cpu-cost'
import { catalogRatePlan, catalogRoom, connectionCatalog } from '../../test/catalog.js'
import { propertyCatalog } from '../catalogs/property-catalog.js'
import { dateOf, dayOf } from '../calendar/calendar.js'
import { HORIZON } from '../calendar/day-set.js'
import { rejection } from './fault.js'
import { runParameters } from '../cells/given-cells.store.js'
import { type Judgement, judge } from './judgement.js'

const TODAY = dayOf('2026-11-20')
/** Most updates of a call, rates of an update and rooms whose days to the horizon are fewer than 50,000 cells. */
const [UPDATES, RATES, ROOMS] = [1_000, 50, 68]

const times = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => item(n))
const rooms = times(UPDATES, (n) => catalogRoom(`r${n}`))
const room_service_ids = rooms.map(({ service_id }) => service_id)
const perOccupancy = { room_service_ids, pricing_model: 'per_occupancy' } as const
const catalog = propertyCatalog(
  connectionCatalog({
    rooms,
    rate_plans: [
      catalogRatePlan('p', { room_service_ids }),
      catalogRatePlan('o', { ...perOccupancy, occupancies: times(RATES, (n) => n + 1) }),
    ],
  }),
)

const always = { date_from: dateOf(TODAY), date_to: dateOf(TODAY + HORIZON) }
const onlyOn = (day: number) => ({ date_from: dateOf(TODAY + day), date_to: dateOf(TODAY + day) })
const odd = { days_of_week: ['mon', 'wed', 'fri', 'sun'] } as const satisfies Partial<AriUpdateWrite>
const even = { days_of_week: ['tue', 'thu', 'sat'] } as const satisfies Partial<AriUpdateWrite>
const halves = (n: number) => ({ days_of_week: [...(n % 2 === 0 ? even : odd).days_of_week] })
const priced = (given: Partial<AriUpdateWrite>): AriUpdateWrite => ({
  ...{ room_id: 'r0', rate_plan_id: 'p' },
  ...always,
  ...given,
})
const sameRates = times(RATES, () => ({ amount: '1' }))
const ratesOf = (amount: string, count = RATES) => times(count, (n) => ({ occupancy: n + 1, amount }))
const restrictions = {
  ...{ min_stay_arrival: 1, min_stay_through: 1, max_stay: 9 },
  ...{ closed_to_arrival: true, closed_to_departure: true, stop_sell: true },
}

/** Two prices of each occupancy, in turn day by day, for every room. */
const alternating = (occupancies: number): AriUpdateWrite[] =>
  times(2 * ROOMS, (n) =>
    priced({ room_id: `r${n >> 1}`, rate_plan_id: 'o', ...halves(n), rates: ratesOf(`${n % 2}`, occupancies) }),
  )

const accepted: [string, AriUpdateWrite[]][] = [
  ['one price 50,000 times', times(UPDATES, () => priced({ rates: sameRates }))],
  ['50 occupancies 580 times', times(580, () => priced({ rate_plan_id: 'o', rates: ratesOf('1') }))],
  ['10 occupancies of 68 rooms that alternate by day', alternating(10)],
  [
    '50 occupancies of 560 single days',
    times(560, (n) => priced({ rate_plan_id: 'o', ...onlyOn(n), rates: ratesOf(`${n}`) })),
  ],
  [
    'all fields of 731 single days',
    times(731, (n) => priced({ ...onlyOn(n), rates: [{ amount: `${n}` }], restrictions })),
  ],
  [
    'all fields of ranges that grow',
    times(UPDATES, (n) =>
      priced({
        ...{ room_id: `r${n % ROOMS}`, date_to: dateOf(TODAY + 6 + 50 * Math.floor(n / ROOMS)) },
        ...{ ...halves(n), rates: sameRates.slice(0, 30), restrictions },
      }),
    ),
  ],
]
const refused: [string, AriUpdateWrite[]][] = [
  [
    'one price 49,950 times and an unknown room',
    times(UPDATES, (n) => priced(n === 0 ? { room_id: 'x' } : { rates: sameRates })),
  ],
  [
    '40,000 different prices of one day',
    times(UPDATES, (n) => priced({ rates: times(40, (rate) => ({ amount: `${n * 40 + rate}` })) })),
  ],
  ['too many prices: 50 occupancies of 68 rooms', alternating(RATES)],
  ['too many cells', times(580, (n) => priced({ room_id: `r${n}`, rate_plan_id: 'o', rates: ratesOf('1') }))],
  [
    '29,000 unknown occupancies',
    times(580, () => priced({ rate_plan_id: 'o', rates: times(RATES, () => ({ occupancy: 99, amount: '1' })) })),
  ],
]

const call = (updates: AriUpdateWrite[]) => {
  const body = { property_id: 'con_1', currency: 'EUR', updates }
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(MAX_BODY_BYTES)
  return () => judge(body, catalog, TODAY)
}

async function expectCheap<T>(work: () => T): Promise<T> {
  const { cpu, heap, outcome } = await leastCostOf(work)
  expect(cpu).toBeLessThan(MAX_CPU)
  expect(heap).toBeLessThan(MAX_HEAP)
  return outcome
}

describe('a call of 1 MiB', () => {
  it.each(accepted)('costs little CPU to judge and to hand to the database: %s', async (_what, updates) => {
    const { runs, faults }: Judgement = await expectCheap(call(updates))
    expect(faults).toEqual([])
    await expectCheap(() => runParameters(runs, new Map()))
  })

  it.each(refused)('costs little CPU to refuse: %s', async (_what, updates) => {
    const { faults } = await expectCheap(call(updates))
    await expectCheap(() => rejection(faults))
  })
})

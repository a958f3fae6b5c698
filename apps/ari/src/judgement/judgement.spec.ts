import type { AriUpdateWrite } from '@connectivity/contracts/ari'
import type { ServiceError } from '@connectivity/contracts/errors'
import { catalogRatePlan, catalogRoom, connectionCatalog } from '../../test/catalog.js'
import { propertyCatalog } from '../catalogs/property-catalog.js'
import { dateOf, dayOf } from '../calendar/calendar.js'
import { rejection } from './fault.js'
import { judge } from './judgement.js'

const TODAY = dayOf('2026-11-20')
const LAST = dateOf(TODAY + 730)
const catalog = propertyCatalog(connectionCatalog())

/** One week, from Tuesday to Monday, in a month that begins on a Tuesday. */
const dates = { date_from: '2026-12-01', date_to: '2026-12-07' }
const ofRoom = (given: object = {}): AriUpdateWrite => ({ room_id: 'rm_1', ...dates, availability: 3, ...given })
const ofPlan = (given: object = {}): AriUpdateWrite => ({
  room_id: 'rm_1',
  rate_plan_id: 'rp_flex',
  ...dates,
  ...given,
})
const priced = (rates: AriUpdateWrite['rates'], rate_plan_id = 'rp_flex') => ofPlan({ rate_plan_id, rates })
const restricted = (restrictions: AriUpdateWrite['restrictions']) => ofPlan({ restrictions })

const judged = (updates: AriUpdateWrite[], currency?: string | null) =>
  judge({ property_id: 'con_1', ...(currency === undefined ? {} : { currency }), updates }, catalog, TODAY)
/** Faults as `pointer code`, in the order of the answer. */
const faults = (updates: AriUpdateWrite[], currency?: string | null): string[] => {
  const found = judged(updates, currency).faults
  return found.length === 0 ? [] : rejection(found).details!.map(({ pointer, code }) => `${pointer} ${code}`)
}
const one = (given: AriUpdateWrite, currency: string | null = 'EUR') => faults([given], currency)

describe('rooms and rate plans', () => {
  it.each<[AriUpdateWrite]>([
    [ofRoom()],
    [ofRoom({ room_id: undefined, external_room_id: 'R1' })],
    [ofRoom({ room_id: 'rm_3' })],
    [ofPlan({ rate_plan_id: undefined, external_rate_plan_id: 'FLEX', restrictions: { stop_sell: true } })],
    [
      ofPlan({
        room_id: undefined,
        external_room_id: 'R2',
        rate_plan_id: 'rp_saver',
        restrictions: { stop_sell: true },
      }),
    ],
  ])('are found by either id: %j', (update) => expect(one(update)).toEqual([]))

  it.each([
    [ofRoom({ room_id: 'R1' }), '/updates/0/room_id unknown_room'],
    [ofRoom({ room_id: undefined, external_room_id: 'rm_1' }), '/updates/0/external_room_id unknown_room'],
    [ofRoom({ room_id: 'rm_old' }), '/updates/0/room_id unknown_room'],
    [ofRoom({ room_id: undefined, external_room_id: 'OLD' }), '/updates/0/external_room_id unknown_room'],
    [ofPlan({ rate_plan_id: 'nope', rates: [] }), '/updates/0/rate_plan_id unknown_rate_plan'],
    [priced([{ amount: '-1' }], 'nope'), '/updates/0/rates/0/amount amount_range'],
    [ofPlan({ rate_plan_id: 'rp_old', rates: [] }), '/updates/0/rate_plan_id unknown_rate_plan'],
    [
      ofPlan({ rate_plan_id: undefined, external_rate_plan_id: 'rp_flex', rates: [] }),
      '/updates/0/external_rate_plan_id unknown_rate_plan',
    ],
    [ofPlan({ room_id: 'rm_3', rate_plan_id: 'rp_occ', rates: [] }), '/updates/0/rate_plan_id rate_not_for_room'],
    [
      ofPlan({ room_id: 'rm_3', rate_plan_id: undefined, external_rate_plan_id: 'OCC', rates: [] }),
      '/updates/0/external_rate_plan_id rate_not_for_room',
    ],
  ])('%j: %s', (update, fault) => expect(one({ restrictions: { stop_sell: true }, ...update })).toContain(fault))

  it('are those of the connection', () => {
    const other = propertyCatalog(connectionCatalog({ rooms: [catalogRoom('rm_1', { external_id: 'elsewhere' })] }))
    const body = { property_id: 'con_2', updates: [ofRoom({ room_id: undefined, external_room_id: 'R1' })] }
    expect(judge(body, other, TODAY).faults).toMatchObject([{ code: 'unknown_room' }])
  })
})

describe('days', () => {
  it.each<[object, string[]]>([
    [{ date_from: '2026-11-20', date_to: LAST }, []],
    [{ date_from: '2026-11-19', date_to: '2026-11-20' }, ['/updates/0/date_from date_in_past']],
    [{ date_from: '2026-11-20', date_to: dateOf(TODAY + 731) }, ['/updates/0/date_to date_beyond_horizon']],
    [{ date_from: '2026-12-02', date_to: '2026-12-01' }, ['/updates/0/date_to date_range_inverted']],
    [
      { date_from: '0001-01-01', date_to: '9999-12-31' },
      ['/updates/0/date_from date_in_past', '/updates/0/date_to date_beyond_horizon'],
    ],
    [
      { date_from: '9999-12-31', date_to: '2026-11-01' },
      [
        '/updates/0/date_to date_range_inverted',
        '/updates/0/date_to date_in_past',
        '/updates/0/date_from date_beyond_horizon',
      ],
    ],
    [{ days_of_week: [] }, ['/updates/0/days_of_week empty_update']],
    [{ date_to: '2026-12-03', days_of_week: ['mon', 'fri'] }, ['/updates/0/days_of_week empty_update']],
    [{ date_to: '2026-12-03', days_of_week: ['mon', 'thu'] }, []],
  ])('%j: %j', (given, expected) => expect(one(ofRoom(given))).toEqual(expected))

  it('of the week are those of the calendar', () => {
    const { runs, cells } = judged([ofRoom({ days_of_week: ['tue', 'wed', 'sun'] })])
    expect(cells).toBe(3)
    expect(runs.map(({ from, to, weekdays }) => [dateOf(from), dateOf(to), weekdays])).toEqual([
      ['2026-12-01', '2026-12-06', 0b1000110],
    ])
  })
})

describe('values', () => {
  it.each<[AriUpdateWrite, string[]]>([
    [ofRoom({ availability: 0 }), []],
    [ofRoom({ availability: 99_999 }), []],
    [ofRoom({ availability: -1 }), ['/updates/0/availability availability_range']],
    [ofRoom({ availability: 100_000 }), ['/updates/0/availability availability_range']],
    [ofRoom({ availability: 1e300 }), ['/updates/0/availability availability_range']],
    [ofRoom({ availability: undefined }), ['/updates/0 empty_update']],
    [ofPlan(), ['/updates/0 empty_update']],
    [ofPlan({ rates: [], restrictions: {} }), ['/updates/0 empty_update']],
    [priced([{ amount: '0' }]), []],
    [priced([{ amount: '999999999999.99' }]), []],
    [priced([{ amount: '1000000000000' }]), ['/updates/0/rates/0/amount amount_range']],
    [priced([{ amount: '-0.01' }]), ['/updates/0/rates/0/amount amount_range']],
    [priced([{ amount: '1.001' }]), ['/updates/0/rates/0/amount amount_precision']],
    [
      priced([{ amount: '-1.001' }]),
      ['/updates/0/rates/0/amount amount_range', '/updates/0/rates/0/amount amount_precision'],
    ],
    [priced([{ amount: '1', occupancy: 2 }]), ['/updates/0/rates/0/occupancy occupancy_range']],
    [priced([{ amount: '1' }], 'rp_occ'), ['/updates/0/rates/0/occupancy occupancy_range']],
    [priced([{ amount: '1', occupancy: 4 }], 'rp_occ'), ['/updates/0/rates/0/occupancy occupancy_range']],
    [
      priced(
        [
          { amount: '1', occupancy: 1 },
          { amount: '0.001', occupancy: 0 },
        ],
        'rp_occ',
      ),
      ['/updates/0/rates/1/occupancy occupancy_range', '/updates/0/rates/1/amount amount_precision'],
    ],
    [priced([{ amount: '1' }], 'rp_saver'), ['/updates/0/rates rate_plan_derived']],
    [ofPlan({ rate_plan_id: 'rp_saver', restrictions: { max_stay: 1 } }), []],
    [restricted({ min_stay_arrival: 1, min_stay_through: 365, max_stay: 365 }), []],
    [restricted({ min_stay_arrival: null, closed_to_arrival: null }), []],
    [
      restricted({ min_stay_arrival: 0, min_stay_through: 366, max_stay: -1 }),
      [
        '/updates/0/restrictions/min_stay_arrival restriction_range',
        '/updates/0/restrictions/min_stay_through restriction_range',
        '/updates/0/restrictions/max_stay restriction_range',
      ],
    ],
  ])('%j: %j', (update, expected) => expect(one(update)).toEqual(expected))

  it.each([
    ['rp_jpy', 'JPY', '110', '110.0'],
    ['rp_flex', 'EUR', '110.5', '110.000'],
    ['rp_kwd', 'KWD', '110.125', '110.1250'],
  ])('of %s have the decimals of %s', (plan, currency, good, fine) => {
    expect(one(priced([{ amount: good }], plan), currency)).toEqual([])
    expect(one(priced([{ amount: fine }], plan), currency)).toEqual(['/updates/0/rates/0/amount amount_precision'])
  })

  it.each([null, []])('of a plan whose occupancies are %j need operations', (occupancies) => {
    const plan = catalogRatePlan('rp_none', { pricing_model: 'per_occupancy', occupancies })
    const body = { property_id: 'con_1', currency: 'EUR', updates: [priced([{ amount: '1' }], 'rp_none')] }
    const found = judge(body, propertyCatalog(connectionCatalog({ rate_plans: [plan] })), TODAY).faults
    expect(found).toMatchObject([{ code: 'occupancy_range', message: expect.stringContaining('contact operations') }])
  })
})

describe('the currency', () => {
  const rate = priced([{ amount: '110.00' }])

  it.each([[undefined], [null]])('%s is required where there is a rate', (currency) => {
    expect(faults([ofRoom(), rate, rate], currency)).toEqual(['/currency currency_required'])
    expect(faults([ofRoom(), ofPlan({ rates: [], restrictions: { stop_sell: true } })], currency)).toEqual([])
  })

  it.each([['eur'], ['USD'], [''], ['EURO'], [' EUR']])('%j is not EUR', (currency) => {
    expect(faults([rate], currency)).toEqual(['/currency currency_mismatch'])
  })

  it('is judged for every rate plan of the call', () => {
    expect(faults([rate, priced([{ amount: '110' }], 'rp_jpy')], 'EUR')).toEqual(['/currency currency_mismatch'])
    expect(faults([priced([{ amount: '1' }], 'rp_saver')], 'JPY')).toEqual([
      '/currency currency_mismatch',
      '/updates/0/rates rate_plan_derived',
    ])
  })

  it('is refused if ISO 4217 does not know it, even if the rate plan has it', () => {
    expect(faults([priced([{ amount: '1' }], 'rp_odd')], 'QQQ')).toEqual(['/currency currency_mismatch'])
  })
})

describe('updates of the same cells', () => {
  it('may repeat values and add to each other', () => {
    const updates = [
      priced([{ amount: '110' }]),
      priced([{ amount: '110.00' }]),
      restricted({ max_stay: 7, stop_sell: null }),
      restricted({ stop_sell: null, min_stay_arrival: 2 }),
    ]
    const { runs, cells, faults: found } = judged(updates, 'EUR')
    expect([cells, found]).toEqual([7, []])
    expect(runs).toHaveLength(1)
    expect(Object.fromEntries(Object.entries(runs[0]!.given).map(([field, { value }]) => [field, value]))).toEqual({
      amount: '110.00',
      max_stay: 7,
      stop_sell: null,
      min_stay_arrival: 2,
    })
  })

  it.each<[string, AriUpdateWrite[], string[]]>([
    [
      'availability',
      [ofRoom(), ofRoom({ availability: 4, room_id: undefined, external_room_id: 'R1' })],
      ['/updates/1/availability'],
    ],
    [
      'one day',
      [ofRoom(), ofRoom({ availability: 4, date_from: '2026-12-07', date_to: '2026-12-09' })],
      ['/updates/1/availability'],
    ],
    ['a rate', [priced([{ amount: '1' }]), priced([{ amount: '2' }])], ['/updates/1/rates/0/amount']],
    ['rates of one update', [priced([{ amount: '1' }, { amount: '2' }])], ['/updates/0/rates/1/amount']],
    [
      'rates of one occupancy',
      [
        priced(
          [
            { amount: '1', occupancy: 1 },
            { amount: '2', occupancy: 2 },
            { amount: '3', occupancy: 1 },
          ],
          'rp_occ',
        ),
      ],
      ['/updates/0/rates/2/amount'],
    ],
    [
      'a value and its clearing',
      [restricted({ max_stay: 3 }), restricted({ max_stay: null })],
      ['/updates/1/restrictions/max_stay'],
    ],
    [
      'true and false',
      [restricted({ stop_sell: true }), restricted({ stop_sell: false })],
      ['/updates/1/restrictions/stop_sell'],
    ],
    [
      'three values',
      [
        ofRoom({ availability: 1 }),
        ofRoom({ availability: 2 }),
        ofRoom({ availability: 1 }),
        ofRoom({ availability: 2 }),
      ],
      ['/updates/1/availability', '/updates/3/availability'],
    ],
  ])('must not differ: %s', (_what, updates, pointers) => {
    expect(faults(updates, 'EUR')).toEqual(pointers.map((pointer) => `${pointer} conflicting_update`))
  })

  it('do not conflict on other days, rooms or rate plans', () => {
    const updates = [
      ofRoom(),
      ofRoom({ availability: 4, room_id: 'rm_2' }),
      ofRoom({ availability: 5, date_from: '2026-12-08', date_to: '2026-12-08' }),
      restricted({ max_stay: 3 }),
      ofPlan({ rate_plan_id: 'rp_occ', restrictions: { max_stay: 4 } }),
    ]
    expect(faults(updates)).toEqual([])
  })
})

describe('a refusal', () => {
  const codeOf = (updates: AriUpdateWrite[], currency?: string) => rejection(judged(updates, currency).faults).code
  const bad = ofRoom({ room_id: 'nope' })

  it('has the code of the currency fault if there is one', () => {
    expect(codeOf([bad])).toBe('ari_rejected')
    expect(codeOf([bad, priced([{ amount: '1' }])])).toBe('currency_required')
    expect(codeOf([bad, priced([{ amount: '1' }])], 'USD')).toBe('currency_mismatch')
  })

  it('returns all faults at once, in order, but at most the first 100', () => {
    const updates = Array.from({ length: 60 }, () => ofRoom({ room_id: 'nope', availability: -1 }))
    const error: ServiceError = rejection(judged(updates).faults)
    const { details, details_truncated } = error.body('correlation').error
    expect([error.status, details_truncated, details!.length]).toEqual([422, true, 100])
    expect(details!.slice(98).map(({ pointer }) => pointer)).toEqual([
      '/updates/49/room_id',
      '/updates/49/availability',
    ])
    const few = rejection(judged(updates.slice(0, 50)).faults).body('correlation').error
    expect([few.details!.length, 'details_truncated' in few]).toEqual([100, false])
  })
})

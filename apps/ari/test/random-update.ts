import type { AriUpdateWrite, AriWrite } from '@connectivity/contracts/ari'
import fc from 'fast-check'
import { flagFields, stayFields } from '../src/judgement/assignment.js'
import { dateOf } from '../src/calendar/calendar.js'

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const oneOf = <T>(...weighted: [number, T][]) =>
  fc.oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

const anyRoom = oneOf<Partial<AriUpdateWrite>>(
  [8, { room_id: 'rm_1' }],
  [6, { external_room_id: 'R1' }],
  [4, { room_id: 'rm_2' }],
  [2, { room_id: 'rm_3' }],
  [1, { external_room_id: 'OLD' }],
)
const anyPlan = oneOf<Partial<AriUpdateWrite>>(
  [12, { rate_plan_id: 'rp_flex' }],
  [12, { external_rate_plan_id: 'OCC' }],
  [3, { rate_plan_id: 'rp_saver' }],
  [2, { external_rate_plan_id: 'YEN' }],
  [1, { rate_plan_id: 'rp_old' }],
)
const anyAmount = oneOf([6, '10'], [6, '10.00'], [6, '12'], [4, '7.5'], [1, '7.123'], [1, '-1'])
const anyOccupancy = oneOf<number | undefined>([6, 1], [6, 2], [6, undefined], [1, 4])
const anyRates = fc.array(
  fc.record({ occupancy: anyOccupancy, amount: anyAmount }).map(({ occupancy, amount }) => ({
    ...(occupancy === undefined ? {} : { occupancy }),
    amount,
  })),
  { maxLength: 2 },
)
const anyStay = oneOf<number | null>([6, 1], [6, 2], [6, 5], [6, null], [1, 0], [1, 366])
const anyFlag = oneOf<boolean | null>([1, true], [1, false], [1, null])
const anyRestrictions = fc
  .record({
    ...Object.fromEntries(stayFields.map((name) => [name, maybe(anyStay)])),
    ...Object.fromEntries(flagFields.map((name) => [name, maybe(anyFlag)])),
  })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))

/** Mostly valid updates of few rooms, rate plans and days, so that they overlap. */
export const randomUpdate = (today: number): fc.Arbitrary<AriUpdateWrite> =>
  fc
    .record({
      room: anyRoom,
      plan: maybe(anyPlan),
      from: oneOf([8, 0], [8, 1], [8, 3], [1, -1], [1, 729]),
      length: oneOf([8, 0], [8, 1], [8, 4], [1, -1]),
      days_of_week: fc.option(fc.subarray([...weekdays], { minLength: 3 }), { nil: undefined, freq: 3 }),
      availability: oneOf([8, 0], [8, 3], [8, 7], [1, -1]),
      rates: maybe(anyRates),
      restrictions: maybe(anyRestrictions),
    })
    .map(({ room, plan, from, length, days_of_week, availability, rates, restrictions }) => ({
      ...room,
      ...plan,
      date_from: dateOf(today + from),
      date_to: dateOf(today + from + length),
      ...(days_of_week && { days_of_week }),
      ...(plan ? { ...(rates && { rates }), ...(restrictions && { restrictions }) } : { availability }),
    }))

/** A call without its connection. */
type GivenCall = Pick<AriWrite, 'updates' | 'currency'>

/**
 * One call for each outcome that chance does not always bring: written, unchanged, minimum above maximum, two values
 * for one cell, another currency, no currency.
 */
export function usualCalls(today: number): GivenCall[] {
  const day = { date_from: dateOf(today + 1), date_to: dateOf(today + 1) }
  const room = { ...day, room_id: 'rm_1' }
  const priced = { ...room, rate_plan_id: 'rp_flex', rates: [{ amount: '10' }] }
  const stay = { ...room, rate_plan_id: 'rp_flex', restrictions: { min_stay_arrival: 5, max_stay: 2 } }
  const open = { ...room, availability: 3 }
  const calls: [AriUpdateWrite[], GivenCall['currency']][] = [
    [[open], null],
    [[open], null],
    [[stay], null],
    [[open, { ...open, availability: 7 }], null],
    [[priced], 'JPY'],
    [[priced], null],
  ]
  return calls.map(([updates, currency]) => ({ updates, currency }))
}

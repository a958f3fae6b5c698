import type { AriUpdateWrite, RateWrite, RestrictionsWrite } from '@connectivity/contracts/ari'
import type { CatalogRatePlan } from '@connectivity/contracts/catalog-events'
import { decimalsOf } from '@connectivity/service-kit/text'
import { type AmountFault, readAmount } from './amount.js'
import { ANY_OCCUPANCY, type Assignment, flagFields, stayFields } from './assignment.js'
import type { Fault } from './fault.js'

/** More units than any property sells of one room; deliberate overselling below it is allowed. */
const MAX_AVAILABILITY = 99_999
/** Longest stay in a restriction, nights. */
const MAX_STAY = 365

const amountMessages: Record<AmountFault, (currency: string) => string> = {
  amount_range: () => 'An amount is 0 or more, with at most 12 digits before the point.',
  amount_precision: (currency) => `${currency} has ${decimalsOf(currency)} decimals; send no more.`,
}

/**
 * Returns the values that an update gives to each of its cells.
 * @param pointer of the update
 * @param plan null if unknown: only the range of its amounts can be judged then
 * @param faults receives the faults of values; faulty values are left out
 */
export function assignmentsOf(
  update: AriUpdateWrite,
  pointer: string,
  plan: CatalogRatePlan | null | undefined,
  faults: Fault[],
): Assignment[] {
  const { availability, rates = [], restrictions = {} } = update
  const isEmpty = availability === undefined && rates.length === 0 && Object.keys(restrictions).length === 0
  if (isEmpty) {
    const message = 'The update sets nothing: give it availability, rates or restrictions.'
    faults.push({ pointer, code: 'empty_update', message })
  }
  return [
    ...availabilityOf(availability, `${pointer}/availability`, faults),
    ...ratesOf(rates, `${pointer}/rates`, plan ?? null, faults),
    ...restrictionsOf(restrictions, `${pointer}/restrictions`, faults),
  ]
}

function availabilityOf(value: number | undefined, pointer: string, faults: Fault[]): Assignment[] {
  if (value === undefined) return []
  if (value >= 0 && value <= MAX_AVAILABILITY)
    return [{ field: 'availability', occupancy: ANY_OCCUPANCY, value, pointer }]
  const message = `availability is a number of units from 0 to ${MAX_AVAILABILITY}.`
  faults.push({ pointer, code: 'availability_range', message })
  return []
}

function ratesOf(
  rates: readonly RateWrite[],
  pointer: string,
  plan: CatalogRatePlan | null,
  faults: Fault[],
): Assignment[] {
  if (rates.length === 0) return []
  if (!plan) {
    rates.forEach((rate, index) => amountOf(rate, `${pointer}/${index}/amount`, '', faults))
    return []
  }
  if (plan.derived_from !== null) {
    const message =
      "This rate plan's prices are derived from another plan; send rates for that plan and only restrictions for this one."
    faults.push({ pointer, code: 'rate_plan_derived', message })
    return []
  }
  // Written once: a call can name 29,000 unknown occupancies.
  const message = occupancyMessage(plan)
  return rates.flatMap((rate, index) => {
    const at = `${pointer}/${index}`
    const isPriced = hasPrice(rate.occupancy, plan)
    if (!isPriced) faults.push({ pointer: `${at}/occupancy`, code: 'occupancy_range', message })
    const value = amountOf(rate, `${at}/amount`, plan.currency, faults)
    if (!isPriced || value === null) return []
    return [{ field: 'amount', occupancy: rate.occupancy ?? ANY_OCCUPANCY, value, pointer: `${at}/amount` }]
  })
}

/** @param currency if its decimals are unknown, only the range is judged: the currency or plan has its own fault */
function amountOf({ amount }: RateWrite, pointer: string, currency: string, faults: Fault[]): string | null {
  const read = readAmount(amount, decimalsOf(currency) ?? amount.length)
  if ('amount' in read) return read.amount
  for (const code of read.faults) faults.push({ pointer, code, message: amountMessages[code](currency) })
  return null
}

function hasPrice(occupancy: number | undefined, plan: CatalogRatePlan): boolean {
  if (plan.pricing_model === 'per_room') return occupancy === undefined
  return occupancy !== undefined && (plan.occupancies ?? []).includes(occupancy)
}

function occupancyMessage({ pricing_model, occupancies }: CatalogRatePlan): string {
  if (pricing_model === 'per_room') return 'This rate plan has one price for the room; leave occupancy out.'
  if (!occupancies?.length)
    return 'This rate plan is priced per occupancy but has no occupancies yet; contact operations.'
  return `This rate plan is priced per occupancy; give one of ${occupancies.join(', ')}.`
}

function restrictionsOf(given: RestrictionsWrite, pointer: string, faults: Fault[]): Assignment[] {
  const assignments: Assignment[] = []
  for (const field of [...stayFields, ...flagFields]) {
    const value = given[field]
    if (value === undefined) continue
    const at = `${pointer}/${field}`
    if (typeof value === 'number' && (value < 1 || value > MAX_STAY)) faults.push(stayFault(at))
    else assignments.push({ field, occupancy: ANY_OCCUPANCY, value, pointer: at })
  }
  return assignments
}

const stayFault = (pointer: string): Fault => ({
  pointer,
  code: 'restriction_range',
  message: `A stay is 1 to ${MAX_STAY} nights; null clears the restriction.`,
})

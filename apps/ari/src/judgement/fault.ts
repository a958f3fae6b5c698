import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'

/** Codes of faults that prevent updates from being applied. */
export const faultCodes = [
  'currency_required',
  'currency_mismatch',
  'unknown_room',
  'unknown_rate_plan',
  'rate_not_for_room',
  'rate_plan_derived',
  'amount_precision',
  'amount_range',
  'date_in_past',
  'date_beyond_horizon',
  'date_range_inverted',
  'availability_range',
  'occupancy_range',
  'restriction_range',
  'min_gt_max',
  'conflicting_update',
  'empty_update',
  'too_many_cells',
] as const
type FaultCode = (typeof faultCodes)[number]

/** One reason to refuse a call. */
export interface Fault extends ErrorDetail {
  code: FaultCode
}

/** Position of a fault's update in the call; faults of the whole call come first. */
const updateOf = ({ pointer }: Fault): number => Number(/^\/updates\/(\d+)/.exec(pointer)?.[1] ?? -1)

const codeFor = (codes: ReadonlySet<FaultCode>) => {
  if (codes.has('currency_required')) return 'currency_required'
  return codes.has('currency_mismatch') ? 'currency_mismatch' : 'ari_rejected'
}

/** Refuses a call: 422 with every fault, in the order of the updates. No update is applied. */
export function rejection(faults: readonly Fault[]): ServiceError {
  const details = faults.toSorted((a, b) => updateOf(a) - updateOf(b))
  const found = details.length === 1 ? 'a fault' : `${details.length} faults`
  const message = `Nothing was applied because of ${found}; fix the problems listed in details and resend the whole request with a new Idempotency-Key.`
  return new ServiceError(codeFor(new Set(faults.map(({ code }) => code))), message, { details })
}

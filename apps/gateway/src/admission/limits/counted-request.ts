import type { RateClass } from '@connectivity/contracts/rate-limits'
import type { PartnerRequest } from '../../http/requests/partner-request.js'

/** The rate class of a program's request; at an unknown path the method decides. */
export const rateClassOf = ({ operation, method }: Pick<PartnerRequest, 'operation' | 'method'>): RateClass =>
  operation?.rateClass ?? rateClassOfMethod(method)

/** The rate class of calls without one of their own, and of every request of a person in the portal. */
export const rateClassOfMethod = (method: string): RateClass =>
  method === 'GET' || method === 'HEAD' ? 'reads' : 'mutations'

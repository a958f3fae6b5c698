import type { LimitClass } from '@connectivity/contracts/rate-limits'
import type { PartnerRequest } from '../../http/partner-request.js'

/** Calls with a class of their own; the method decides for all others. */
const ownClass: Readonly<Record<string, LimitClass>> = {
  'GET /reservations': 'feed',
  'GET /reservations/digest': 'digest',
  'POST /ari': 'ari',
}

/** The limit class of a request; at an unknown path the method decides. */
export function limitClassOf({ operation, method }: Pick<PartnerRequest, 'operation' | 'method'>): LimitClass {
  const own = operation ? ownClass[`${operation.method} ${operation.path}`] : undefined
  return own ?? classOfPerson({ method })
}

/** The limit class of a person's request: people have no class of their own for any call. */
export const classOfPerson = ({ method }: Pick<PartnerRequest, 'method'>): LimitClass =>
  method === 'GET' || method === 'HEAD' ? 'reads' : 'mutations'

import type { AriWrite } from '@connectivity/contracts/ari'
import type { IdempotentRequest } from '@connectivity/mutations'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'

/** A call to be applied. */
export interface Call {
  /** The connection's catalog when the call arrived. */
  catalog: PropertyCatalog
  body: AriWrite
  mutation: IdempotentRequest
  /** Trace of the request, for the message about its updates. */
  traceparent: string | null
}

/** Most values of a call that is applied together with others, as `mostValues` counts. */
const MAX_SMALL = 100

/** Upper limit of the values that a call stores: its days, those with several prices once for each. */
const mostValues = ({ updates }: AriWrite): number =>
  updates.reduce((sum, { date_from, date_to, rates = [] }) => {
    const days = (Date.parse(date_to) - Date.parse(date_from)) / 86_400_000 + 1
    return sum + Math.max(1, days) * Math.max(1, rates.length)
  }, 0)

/** Whether the call is applied together with others. */
export const isSmall = (body: AriWrite): boolean => mostValues(body) <= MAX_SMALL

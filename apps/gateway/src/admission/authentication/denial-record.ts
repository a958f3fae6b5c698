import { ServiceError } from '@connectivity/contracts/errors'
import { namedForLogs } from '../assignment/named-connection.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'

/** Statuses whose log line has the address, the detail's code, the property and the key or client id. */
const DENIALS = new Set([401, 403])

/**
 * Adds to the log line of a 401 or 403: the client's address, the detail's code, the property that the request names,
 * and its key or client id if that exists. Invented or misplaced values are never logged: they may be secrets.
 */
export function noteDenial(partner: PartnerRequest, error: unknown): void {
  if (!(error instanceof ServiceError) || !DENIALS.has(error.status)) return
  const found = {
    address: partner.address,
    detail: error.details?.[0]?.code,
    property_id: namedForLogs(partner),
    key_id: partner.facts.keyId,
  }
  const given = Object.entries(found).filter(([, value]) => value !== undefined && value !== null)
  Object.assign(partner.http.record.fields, Object.fromEntries(given))
}

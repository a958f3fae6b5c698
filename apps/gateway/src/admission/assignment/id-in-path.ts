import { checkValue } from '@connectivity/contracts/query-parameters'
import type { PartnerRoute } from '../../http/requests/partner-route.js'

/** Decodes a path segment; one that is not percent-encoded UTF-8 stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * The id in a path, percent-decoded; null for a path without one. The rules of query parameters hold for it.
 * @param name of the parameter in errors; without it, the path's own name for the id
 * @throws ServiceError 400 `invalid_request` when it contains NUL or is longer than 1 KiB
 */
export function idInPath({ id, template }: PartnerRoute, name?: string): string | null {
  return id === null ? null : checkValue(decoded(id), name ?? nameOf(template))
}

const nameOf = (template: string): string => /\{(\w+)\}/.exec(template)![1]!

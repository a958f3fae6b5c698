import { pathOf } from '@connectivity/contracts/request-target'
import type { CanonicalRequest } from '@connectivity/signing'

/** The parts of a request that its signature covers, as they arrived. */
export interface SignedParts {
  method: string
  /** Path and query as sent. */
  target: string
  timestamp: string
  /** SHA-256 of the body as sent, lower-case hex. */
  bodyHash: string
}

/** The canonical request that the signature should cover. */
export const canonicalOf = ({ method, target, timestamp, bodyHash }: SignedParts): CanonicalRequest => ({
  method,
  path: pathOf(target),
  timestamp,
  bodyHash,
})

import type { ErrorCode } from '@connectivity/contracts/errors'
import { authentication, connections } from './authentication.js'
import { domain, operators } from './domain.js'
import type { Explained } from './explanation.js'
import { faults, requests } from './requests.js'

/** Codes that only operators get. */
export const operatorsOnly: ReadonlySet<ErrorCode> = new Set([
  ...(Object.keys(operators) as ErrorCode[]),
  'connection_exists',
])

/** Explanations of all error codes. */
export const explained: Record<ErrorCode, Explained> = {
  ...authentication,
  ...connections,
  ...requests,
  ...domain,
  ...faults,
  ...operators,
}

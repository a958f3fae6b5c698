import type { ErrorDetail } from '@connectivity/contracts/errors'

/** Explanation of a code for a partner's developer. */
export interface Explained {
  meaning: string
  cause: string
  action: string
  /** A message as the service words it; the wording may change, the code does not. */
  message: string
  details?: ErrorDetail[]
}

/** One fault in detail. */
export const detail = (pointer: string, code: string, message: string): ErrorDetail => ({ pointer, code, message })

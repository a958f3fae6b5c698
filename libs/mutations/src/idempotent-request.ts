import type { Transaction } from '@connectivity/database'

/** One mutation as its caller identified it. */
export interface IdempotentRequest {
  applicationId: string
  method: string
  /** Raw path without query. */
  path: string
  key: string
  /** Fingerprint of method, path, query and body: see `fingerprintOf`. */
  fingerprint: string
  correlationId: string
  /**
   * Writes the audit entry of a person's change with the stored answer, unless that is a refusal; absent for programs.
   */
  recordChange?: (tx: Transaction) => void
}

/** Answer to a mutation: body as JSON text, byte for byte the same in a replay. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

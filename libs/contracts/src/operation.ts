import type { ServiceName } from './identity.js'
import type { MutationRule } from './mutation-rules.js'
import type { RateClass } from './rate-limits.js'
import type { Scope } from './scopes.js'

/** One call of the partner interface: its path, its owner and its rules. The gateway admits and forwards by it. */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base path; a name in braces stands for one path segment. */
  path: string
  owner: ServiceName | 'gateway'
  scope: Scope | null
  /** Class of limits that counts the call; by default `reads` for GET and `mutations` for the others. */
  rateClass?: RateClass
  /** Place of the addressed connection's id; null when the call addresses none. */
  property: 'query' | 'path' | 'body' | null
  /** Names of the query parameters that the call takes besides `property_id`, see `parametersOf`. */
  parameters?: readonly string[]
  /** The caller may wait until there is something new, see `readWait`; the owner has a stream of changes. */
  waits?: true
  /** Shape of the JSON body, without properties for an action that takes no fields; null when the call takes none. */
  body: (new () => object) | null
  /** The body holds a list or another body and may be as long as `MAX_BODY_BYTES`. */
  largeBody?: true
  /** Checks beyond the shape of the body. */
  rule?: MutationRule
  /**
   * Longest wait for the beginning of the answer, ms, for calls during which the owner calls a server of the partner or
   * reads a whole feed; 10 s for all others.
   */
  headDeadline?: number
  /** Admission skips authentication: the call checks the caller's credentials itself, such as POST /oauth/token. */
  open?: true
}

import type { IncomingHttpHeaders } from 'node:http'
import { type ServiceName, TAKES_PROOFS_HEADER } from '@connectivity/contracts/identity'

/**
 * Time for which every answer of a service has shown that it takes proofs, ms: all of its replicas have answered by
 * then.
 */
const SURE_AFTER = 10_000

/** Since when all answers of a service show that it takes identities with proofs, ms of `performance.now`. */
const since = new Map<ServiceName, number>()

/**
 * Notes whether an answer shows that its service takes proofs; replicas of the previous release do not during a
 * roll-out.
 */
export function noteForm(service: ServiceName, headers: IncomingHttpHeaders): void {
  if (headers[TAKES_PROOFS_HEADER] === undefined) since.delete(service)
  else if (!since.has(service)) since.set(service, performance.now())
}

/** Whether identities for the service may have the form with a proof. */
export const takesProofs = (service: ServiceName): boolean =>
  performance.now() - (since.get(service) ?? Infinity) > SURE_AFTER

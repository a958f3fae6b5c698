import type { IncomingHttpHeaders } from 'node:http'
import { type ServiceName, TAKES_PROOFS_HEADER } from '@connectivity/contracts/identity'

/**
 * Time for which all forwarded answers of a service have shown that it takes proofs, ms: by then all of its replicas
 * have answered. Answers to the gateway's own questions do not count.
 */
const SURE_AFTER = 10_000

/** Time since which every forwarded answer of a service accepts proofs, ms of `performance.now`. */
const since = new Map<ServiceName, number>()

/**
 * Notes whether a forwarded answer shows that its service takes proofs. During a roll-out, replicas of the previous
 * release do not.
 */
export function noteForm(service: ServiceName, headers: IncomingHttpHeaders): void {
  if (headers[TAKES_PROOFS_HEADER] === undefined) since.delete(service)
  else if (!since.has(service)) since.set(service, performance.now())
}

/** Whether identities for the service may have the form with a proof. */
export const takesProofs = (service: ServiceName): boolean =>
  performance.now() - (since.get(service) ?? Infinity) > SURE_AFTER

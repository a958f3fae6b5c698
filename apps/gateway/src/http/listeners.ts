import type { IncomingMessage } from 'node:http'
import { isDocumentation } from './documentation-path.js'
import { isPortal } from './portal-path.js'
import { matchTarget } from './partner-route.js'

declare module 'node:http' {
  interface IncomingMessage {
    /** Set on requests of the private listener; all others are public. */
    arrivedPrivately?: true
  }
}

/** Whether a request was received on the private listener. */
export const isPrivate = (request: IncomingMessage): boolean => request.arrivedPrivately === true

/** Target for requests that a listener does not serve; no route is declared here. */
const NOWHERE = '/nowhere'

const PRIVATE_PATH = /^\/(ops\/v1\/|console([/?]|$)|health\/|metrics(\?|$))/

const isPublicPath = (target: string): boolean =>
  matchTarget(target) !== null || isDocumentation(target) || isPortal(target)

/** Fastify answers malformed percent-encoding before any hook runs; no served path contains any. */
function isDecodable(target: string): boolean {
  try {
    return decodeURI(target.split('?', 1)[0]!) !== ''
  } catch {
    return false
  }
}

/**
 * The target for the router. It sees only pages and exact partner paths as sent on the public listener (the router
 * itself would decode `%72eservations`) and operators' paths on the private one. All other targets become `/nowhere`;
 * the request's `originalUrl` keeps the target as sent.
 */
export function routedTarget(received: { url?: string | undefined }): string {
  const request = received as IncomingMessage
  const target = request.url ?? NOWHERE
  const known = isPrivate(request) ? PRIVATE_PATH.test(target) : isPublicPath(target)
  return known && isDecodable(target) ? target : NOWHERE
}

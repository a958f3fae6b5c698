import type { IncomingMessage } from 'node:http'
import { isDocumentation, isPortal } from '../pages/page-paths.js'
import { matchTarget, type PartnerRoute } from '../requests/partner-route.js'

declare module 'node:http' {
  interface IncomingMessage {
    /** Set on requests of the private listener; all others are public. */
    arrivedPrivately?: true
    /** The route of a request on the public listener, set before the router sees it; null at any other path. */
    partnerRoute?: PartnerRoute | null
  }
}

/** Whether a request was received on the private listener. */
export const isPrivate = (request: IncomingMessage): boolean => request.arrivedPrivately === true

/** Target for requests that a listener does not serve; no route is declared here. */
const NOWHERE = '/nowhere'

const PRIVATE_PATH = /^\/(ops\/v1\/|console([/?]|$)|health\/|metrics(\?|$))/

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
  return isServed(request, target) && isDecodable(target) ? target : NOWHERE
}

/**
 * Notes the partner route: this is the only search of the table of operations, and the router only picks the handler.
 */
function isServed(request: IncomingMessage, target: string): boolean {
  if (isPrivate(request)) return PRIVATE_PATH.test(target)
  request.partnerRoute = matchTarget(target)
  return request.partnerRoute !== null || isDocumentation(target) || isPortal(target)
}

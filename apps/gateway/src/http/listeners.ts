import type { IncomingMessage } from 'node:http'
import { isDocumentation } from './documentation-path.js'
import { matchTarget } from './partner-route.js'

const arrivedPrivately = new WeakSet<IncomingMessage>()

/** Notes that a request came in through the private listener. Whatever is not noted is public. */
export const markPrivate = (request: IncomingMessage): void => void arrivedPrivately.add(request)

/** Whether a request came in through the private listener. */
export const isPrivate = (request: IncomingMessage): boolean => arrivedPrivately.has(request)

/** Where the router sends what a listener does not serve; no route is ever declared here. */
const NOWHERE = '/nowhere'

const PRIVATE_PATH = /^\/(ops\/v1\/|health\/|metrics(\?|$))/

const isPublicPath = (target: string): boolean => matchTarget(target) !== null || isDocumentation(target)

/** Fastify answers a broken percent-encoding before any hook runs; nothing we serve has one. */
function isDecodable(target: string): boolean {
  try {
    return decodeURI(target.split('?', 1)[0]!) !== ''
  } catch {
    return false
  }
}

/**
 * The only targets that the router gets to see: on the public listener pages and exact partner paths as sent (the
 * router itself would decode `%72eservations`), on the private one the operators' paths. Everything else is nowhere;
 * the request's `originalUrl` keeps what was sent.
 */
export function routedTarget(received: { url?: string | undefined }): string {
  const request = received as IncomingMessage
  const target = request.url ?? NOWHERE
  const known = isPrivate(request) ? PRIVATE_PATH.test(target) : isPublicPath(target)
  return known && isDecodable(target) ? target : NOWHERE
}

import { HttpException, HttpStatus } from '@nestjs/common'
import { pathOf } from '@connectivity/contracts/request-target'
import type { FastifyInstance } from 'fastify'

/**
 * Refuses paths that spell a fixed segment of their route percent-encoded. The router takes `/reservations/diges%74`
 * for `/reservations/digest`; the interface matches paths as sent, and has counted a call with an id.
 */
export function matchExactPaths(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ url, routeOptions }, _reply, done) => {
    const isExact = !url.includes('%') || hasFixedSegments(url, routeOptions.url ?? '')
    done(isExact ? undefined : new HttpException('not found', HttpStatus.NOT_FOUND))
  })
}

function hasFixedSegments(target: string, route: string): boolean {
  // The router takes targets with scheme and host too.
  const path = pathOf(target).replace(/^https?:\/\/[^/]*/i, '')
  if (!path.includes('%')) return true
  const sent = path.split('/')
  return route.split('/').every((segment, index) => /^[:*]/.test(segment) || segment === sent[index])
}

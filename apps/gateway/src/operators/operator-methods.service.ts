import { Injectable } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pathOf } from '@connectivity/contracts/request-target'
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import { methodNotAllowed } from '../http/requests/request-line.js'

/** Methods of the operators' paths, collected from the routes. */
@Injectable()
export class OperatorMethods {
  private readonly routes: { path: RegExp; method: string }[] = []

  /** Listens from the start: Nest makes the controllers' routes before it calls any `onModuleInit`. */
  constructor(host: HttpAdapterHost) {
    host.httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', (route) => this.note(route))
  }

  /** @throws ServiceError 405 with Allow at a path that takes only other methods; an unknown path passes */
  check({ is404, method, originalUrl }: FastifyRequest): void {
    if (!is404) return
    const path = pathOf(originalUrl)
    const allow = this.routes.filter((route) => route.path.test(path)).map((route) => route.method)
    // The router rejects ids that are too long or not decodable; such a path is 404, not 405.
    if (allow.length === 0 || allow.includes(method)) return
    throw methodNotAllowed(method, allow.join(', '))
  }

  private note({ method, url }: RouteOptions): void {
    if (!url.startsWith(`${OPERATORS_PATH}/`)) return
    const path = new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`)
    for (const one of [method].flat()) this.routes.push({ path, method: one })
  }
}

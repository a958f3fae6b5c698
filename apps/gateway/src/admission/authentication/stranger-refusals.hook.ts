import type { Socket } from 'node:net'
import { HttpStatus, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { closeAfterAnswer } from '../../http/connections/lingering-close.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'

/** Refusals of unauthenticated requests after which a connection is closed. */
const MAX_REFUSALS = 10

/**
 * Closes a connection whose unauthenticated requests are refused again and again, for any reason: its pipeline ends,
 * and further attempts must reconnect.
 */
@Injectable()
export class StrangerRefusals implements OnModuleInit {
  /** Number of refused requests on each connection. */
  private readonly refused = new WeakMap<Socket, number>()

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const { partner } = request
      if (partner?.facts.caller === null && isRefusal(reply.statusCode)) this.count(partner, reply.statusCode)
      done(null, payload)
    })
  }

  private count({ http: { raw }, reply }: PartnerRequest, status: number): void {
    const count = (this.refused.get(raw.socket) ?? 0) + 1
    this.refused.set(raw.socket, count)
    if (status === HttpStatus.TOO_MANY_REQUESTS || count >= MAX_REFUSALS) closeAfterAnswer(raw, reply.raw)
  }
}

/** Whether the client caused the refusal (4xx). */
const isRefusal = (status: number): boolean => status >= 400 && status < 500

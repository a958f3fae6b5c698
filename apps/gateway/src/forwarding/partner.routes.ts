import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { FastifyInstance } from 'fastify'
import { type Admitted, admittedOf } from '../admission/admitted.js'
import { leaveBodiesToAdmission } from '../http/requests/leave-bodies.js'
import { ServiceCalls } from './exchange/service-calls.service.js'
import { RepeatableAnswers } from './waiting/repeatable-answers.service.js'
import { WaitingRequests } from './waiting/waiting-requests.service.js'

/** The catch-all route behind admission: answers every call from the service that owns it. */
@Injectable()
export class PartnerRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly waiting: WaitingRequests,
    private readonly repeatable: RepeatableAnswers,
    private readonly calls: ServiceCalls,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      routes.all(`${BASE_PATH}/*`, (request) => this.forward(admittedOf(request)))
    })
  }

  private async forward(admitted: Admitted): Promise<void> {
    const { calls } = this
    admitted.reply.hijack()
    try {
      const waits = this.waiting.answer(admitted)
      if (waits) return await waits
      const { answer, keep } = this.repeatable.find(admitted)
      calls.end(admitted, answer ? calls.repeat(admitted, answer) : await calls.look(admitted, 'only', { keep }))
    } catch (error) {
      calls.fail(admitted, error)
    }
  }
}

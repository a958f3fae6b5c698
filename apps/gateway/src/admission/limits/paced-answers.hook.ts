import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { closeAfterAnswer } from '../../http/connections/lingering-close.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { forgetBody } from '../../http/requests/held-body.js'
import { PacedRefusals } from './paced-refusals.js'

/**
 * Delays answers that refuse a request over a limit or a budget of memory. The request's body is freed while its answer
 * is held.
 */
@Injectable()
export class PacedAnswers implements OnModuleInit {
  private readonly refusals = new PacedRefusals()

  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.addHook('onSend', ({ partner }, _reply, payload, done) => {
      const exceeded = partner?.facts.exceeded ?? null
      if (exceeded === null) return done(null, payload)
      void this.hold(partner!, exceeded).then(() => done(null, payload))
    })
  }

  /**
   * Notes that a request is refused for its rate, or because its body exceeds a budget.
   * @param subject name under which refusals are counted together
   */
  refuse({ facts }: PartnerRequest, subject: string): void {
    facts.exceeded = subject
  }

  private async hold(partner: PartnerRequest, subject: string): Promise<void> {
    forgetBody(partner)
    const staysOpen = await this.refusals.pace(subject)
    if (!staysOpen) closeAfterAnswer(partner.http.raw, partner.reply.raw)
  }
}

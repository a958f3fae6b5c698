import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { AnswerMemory } from './answer-memory.service.js'
import { OwnAnswer } from './own-answer.js'

/** Answers up to this length are not counted, characters: the socket buffer takes them. */
const SMALL = 32 * 1024

/** Counts large answers that the gateway makes for partners, as those of services are counted, until they are read. */
@Injectable()
export class OwnAnswers implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly memory: AnswerMemory,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.addHook('onSend', async ({ partner }, reply, payload) => {
      if (!partner?.facts.caller || typeof payload !== 'string' || payload.length <= SMALL) return payload
      if (reply.raw.req.socket.destroyed) return payload
      const body = Buffer.from(payload)
      void reply.header('content-length', body.length)
      const account = { applicationId: partner.facts.caller.applicationId, memory: this.memory }
      return new OwnAnswer(body, account, reply).stream
    })
  }
}

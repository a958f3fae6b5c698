import { Body, Controller, Post, Req, Res } from '@nestjs/common'
import { EventsReplay } from '@connectivity/contracts/event-index'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { idempotentMutation, sendAnswer } from '@connectivity/mutations'
import { addressedConnection } from '@connectivity/service-kit/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ReplayEvents } from './replay-events.service.js'

/** POST /reservations/events/replay. */
@Controller(`${BASE_PATH}/reservations/events/replay`)
export class ReplaysController {
  constructor(private readonly replays: ReplayEvents) {}

  @Post()
  async replay(@Body() body: EventsReplay, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { property_id: connectionId } = addressedConnection(request, body.property_id)
    sendAnswer(reply, await this.replays.replay(connectionId, body, idempotentMutation(request)))
  }
}

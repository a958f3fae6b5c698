import { Body, Controller, Post, Req, Res } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { EventsReplay, type ReplayAccepted } from '@connectivity/contracts/event-index'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { reservationEventTypes } from '@connectivity/contracts/reservation-events'
import { Database } from '@connectivity/database/database'
import { answerOnce } from '@connectivity/mutations/idempotency'
import { idempotentMutation, sendAnswer } from '@connectivity/mutations/idempotent-mutation'
import { addressedConnection } from '@connectivity/service-kit/addressed-connection'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '@connectivity/service-kit/ids'
import { BacklogChangeStore } from '../backlog/backlog-change.store.js'
import { BacklogChanges } from '../backlog/backlog-changes.service.js'
import { replaySelection } from './replay-selection.js'
import { ReplayStore } from '../backlog/replay.store.js'

/** POST /reservations/events/replay. */
@Controller(`${BASE_PATH}/reservations/events/replay`)
export class ReplaysController {
  constructor(
    private readonly database: Database,
    private readonly replays: ReplayStore,
    private readonly backlog: BacklogChangeStore,
    private readonly changes: BacklogChanges,
  ) {}

  @Post()
  async replay(@Body() body: EventsReplay, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { property_id: connectionId } = addressedConnection(request, body.property_id)
    const selection = replaySelection(body)
    const answer = await answerOnce(this.database, idempotentMutation(request), async (tx) => {
      const replay_id = newId('rpl')
      if (!(await this.replays.hold(tx, connectionId))) throw noCallback()
      const events = await this.backlog.planReplay(tx, connectionId, replay_id, selection, reservationEventTypes)
      const accepted: ReplayAccepted = { schema_version: SCHEMA_VERSION, property_id: connectionId, replay_id, events }
      return { status: 202, headers: {}, body: JSON.stringify(accepted) }
    })
    if (answer.status === 202) await this.changes.settle((JSON.parse(answer.body) as ReplayAccepted).replay_id)
    sendAnswer(reply, answer)
  }
}

const noCallback = (): ServiceError =>
  new ServiceError('not_found', 'This property has no callback; register one with PUT /properties/{id}/callback first.')

import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { EventsReplay, ReplayAccepted } from '@connectivity/contracts/event-index'
import { replayChoice } from '@connectivity/contracts/mutation-rules'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database } from '@connectivity/database'
import { type Answer, answerOnce, type IdempotentRequest } from '@connectivity/mutations'
import { isId, newId } from '@connectivity/service-kit/text'
import { BacklogChangeStore } from '../backlog/backlog-change.store.js'
import { BacklogChanges } from '../backlog/backlog-changes.service.js'
import { ReplayStore } from '../backlog/replay.store.js'
import { noCallback } from '../not-found.js'

const RETRY_AFTER_SECONDS = 60

const crowded = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'More than 100,000 events of earlier replays still wait; send this one again with the same Idempotency-Key.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

/** Sends selected events of a connection to its callback again. */
@Injectable()
export class ReplayEvents {
  constructor(
    private readonly database: Database,
    private readonly replays: ReplayStore,
    private readonly backlog: BacklogChangeStore,
    private readonly changes: BacklogChanges,
  ) {}

  /**
   * Plans the replay and starts it; 202.
   * @throws ServiceError 404 without a callback, 503 while more than 100,000 events of earlier replays wait, 400 unless
   *   the body has either ids or both ends of a range; see `answerOnce`
   */
  async replay(
    connectionId: string,
    asked: EventsReplay,
    mutation: IdempotentRequest,
  ): Promise<Answer & { replayed: boolean }> {
    const choice = replayChoice(asked)
    // An id of another form names no event.
    const chosen = 'eventIds' in choice ? { eventIds: choice.eventIds.filter(isId) } : choice
    const answer = await answerOnce(this.database, mutation, async (tx) => {
      const replay_id = newId('rpl')
      if (!(await this.replays.hold(tx, connectionId))) throw noCallback()
      if (await this.backlog.isCrowded(tx, connectionId)) throw crowded()
      const events = await this.backlog.planReplay(tx, connectionId, replay_id, chosen)
      const accepted: ReplayAccepted = { schema_version: SCHEMA_VERSION, property_id: connectionId, replay_id, events }
      return { status: 202, headers: {}, body: JSON.stringify(accepted) }
    })
    if (answer.status === 202) await this.changes.settle((JSON.parse(answer.body) as ReplayAccepted).replay_id)
    return answer
  }
}

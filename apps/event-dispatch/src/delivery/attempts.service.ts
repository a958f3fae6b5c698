import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { loggedError, type Logger, LOGGER, ThrottledLog } from '@connectivity/service-kit/logging'
import { type Outcome, SENDER, type Sender } from '../sending/sender.js'
import { signedRequest } from '../sending/signed-request.js'
import type { CallbackLanes, ReadyLane } from './callback-lanes.js'
import type { MadeAttempt } from './delivery-result.store.js'
import { attemptDuration, deliveryAttempts, deliveryDelay } from './delivery-metrics.js'
import type { DeliveryTarget } from './delivery-target.store.js'
import { LaneStore } from './lane.store.js'
import { responseExcerpt } from './response-excerpt.js'
import { thinEnvelope } from './thin-envelope.js'
import { verdictOf } from './verdict.js'

/** Makes attempts, one at a time per lane; the caller handles their verdicts. */
@Injectable()
export class Attempts implements OnApplicationShutdown {
  /** Throttled, because an unreachable database would log a line per delivery. */
  private readonly failures: ThrottledLog<object>

  constructor(
    private readonly store: LaneStore,
    @Inject(SENDER) private readonly sender: Sender,
    @Inject(LOGGER) log: Logger,
  ) {
    this.failures = new ThrottledLog(({ reason, count, first, last, err }) =>
      log.warn(
        { err, reason, count, first_connection_id: first, last_connection_id: last },
        'attempts could not be made, trying again',
      ),
    )
  }

  /** Writes the open summaries. */
  onApplicationShutdown(): void {
    this.failures.stop()
  }

  /** Never throws. @returns null if nothing was sent or we aborted the attempt */
  async make(lanes: CallbackLanes, lane: ReadyLane): Promise<MadeAttempt | null> {
    const { target } = lanes
    if (!target) return null
    try {
      return this.judge(await this.send(lanes, target, lane), target, lane)
    } catch (err) {
      this.failures.note({ place: {}, reason: loggedError(err).message, position: lanes.lease.connectionId, err })
      return null
    }
  }

  private async send(
    { lease, stopped }: CallbackLanes,
    target: DeliveryTarget,
    { delivery }: ReadyLane,
  ): Promise<Outcome> {
    const { connectionId } = lease
    const text = delivery.body ?? (await this.store.body(connectionId, delivery.sequence))
    const body = Buffer.from(target.payload === 'thin' ? thinEnvelope(text) : text)
    const { eventId, type, attempts, traceparent } = delivery
    const { url, keys } = target
    const message = { callback: connectionId, url, body, eventId, type, attempt: attempts + 1, keys, traceparent }
    return this.sender.send(signedRequest(message), { signal: stopped.signal })
  }

  private judge(outcome: Outcome, { url, payload }: DeliveryTarget, { delivery }: ReadyLane): MadeAttempt | null {
    const { sequence, attempts, retriesFrom, recordedAt } = delivery
    const verdict = verdictOf(outcome, attempts + 1 - retriesFrom, Math.random())
    deliveryAttempts.inc({ outcome: verdict?.kind ?? 'undone' })
    if (!verdict) return null
    attemptDuration.observe(outcome.durationMs / 1000)
    if (verdict.kind === 'delivered' && attempts === 0) deliveryDelay.observe((performance.now() - recordedAt) / 1000)
    const { at, durationMs, body } = outcome
    return { sequence, attempts, retriesFrom, verdict, at, url, payload, durationMs, excerpt: responseExcerpt(body) }
  }
}

import { Injectable } from '@nestjs/common'
import type { CallbackState } from '@connectivity/contracts/callbacks'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database, type Transaction } from '@connectivity/database'
import { runOperatorChange } from '@connectivity/mutations'
import { isId } from '@connectivity/service-kit/text'
import { notFound, withSchemaVersion } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { DELIVERIES_DUE } from '../backlog/backlog-signals.js'
import { WaitingDeliveriesStore } from '../backlog/waiting-deliveries.store.js'
import type { Callback } from './callback.js'
import { CallbackHealthStore } from './callback-health.store.js'
import { CallbackStore } from './callback.store.js'
import { presentToOperators } from './callback.view.js'

/** Operators suspend callbacks and resume them; deliveries wait meanwhile. */
@Injectable()
export class CallbackSuspension {
  constructor(
    private readonly database: Database,
    private readonly callbacks: CallbackStore,
    private readonly health: CallbackHealthStore,
    private readonly waiting: WaitingDeliveriesStore,
  ) {}

  /** @throws ServiceError 404, 409 `invalid_transition` */
  suspend(request: FastifyRequest, connectionId: string, reason: string) {
    return this.move(request, connectionId, { to: 'suspended_by_operator', action: 'callback.suspend', reason })
  }

  /** @throws ServiceError 404, 409 `invalid_transition` */
  resume(request: FastifyRequest, connectionId: string, reason: string) {
    return this.move(request, connectionId, { to: 'active', action: 'callback.resume', reason })
  }

  private move(
    request: FastifyRequest,
    connectionId: string,
    { to, action, reason }: { to: CallbackState; action: 'callback.suspend' | 'callback.resume'; reason: string },
  ) {
    return runOperatorChange(this.database, request, async (tx, record) => {
      const before = await this.movable(tx, connectionId, to)
      await this.callbacks.change(tx, { ...before, state: to })
      if (to === 'active') await this.waiting.release(tx, connectionId)
      // Wakes the process that holds the callback's lease.
      tx.afterCommit(DELIVERIES_DUE)
      record({ action, subject: connectionId, reason, before: { state: before.state }, after: { state: to } })
      const shown = presentToOperators((await this.health.find(tx, connectionId))!)
      return { status: 200, headers: {}, body: JSON.stringify(withSchemaVersion(shown)) }
    })
  }

  private async movable(tx: Transaction, connectionId: string, to: CallbackState): Promise<Callback> {
    const callback = isId(connectionId) ? await this.callbacks.lock(tx, connectionId) : null
    if (!callback) throw notFound('callback')
    if (callback.state !== to) return callback
    const next = to === 'active' ? 'suspend' : 'resume'
    const message = `The callback is ${to} already; it can be changed with ${next}.`
    throw new ServiceError('invalid_transition', message)
  }
}

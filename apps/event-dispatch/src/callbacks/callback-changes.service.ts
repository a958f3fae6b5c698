import { Injectable } from '@nestjs/common'
import type { CallbackTest, CallbackTestAnswer } from '@connectivity/contracts/callbacks'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database, type Transaction } from '@connectivity/database'
import { callbackSecretText, newCallbackKey } from '@connectivity/signing'
import { newId } from '@connectivity/service-kit/text'
import { errorOf, isSuccess } from '../delivery/verdict.js'
import { DELIVERIES_DUE } from '../backlog/backlog-signals.js'
import { WaitingDeliveriesStore } from '../backlog/waiting-deliveries.store.js'
import { noCallback } from '../not-found.js'
import { type Callback, checkResumable } from './callback.js'
import type { Registered } from './callback-registration.service.js'
import { CallbackSender } from './callback-sender.service.js'
import { CallbackSecrets } from '../sending/callback-secrets.service.js'
import { CallbackStore, type StoredCallback } from './callback.store.js'

/** Default time for which the old secret keeps signing after a rotation, seconds. */
const DEFAULT_OVERLAP = 24 * 60 * 60

/** Partner calls on an existing callback. */
@Injectable()
export class CallbackChanges {
  constructor(
    private readonly database: Database,
    private readonly callbacks: CallbackStore,
    private readonly secrets: CallbackSecrets,
    private readonly waiting: WaitingDeliveriesStore,
    private readonly sender: CallbackSender,
  ) {}

  /** @throws ServiceError 404 */
  async find(connectionId: string): Promise<Callback> {
    return existing(await this.callbacks.find(this.database, connectionId))
  }

  /** @throws ServiceError 404, 409 `invalid_transition` */
  async resume(tx: Transaction, connectionId: string): Promise<Callback> {
    const callback = existing(await this.callbacks.lock(tx, connectionId))
    checkResumable(callback)
    if (callback.state === 'active') return callback
    const resumed = await this.callbacks.change(tx, { ...callback, state: 'active' })
    await this.waiting.release(tx, connectionId)
    return resumed
  }

  /** @throws ServiceError 404 */
  async rotate(tx: Transaction, connectionId: string, overlap = DEFAULT_OVERLAP): Promise<Registered> {
    existing(await this.callbacks.lock(tx, connectionId))
    const key = newCallbackKey()
    tx.afterCommit(DELIVERIES_DUE)
    const callback = await this.callbacks.rotate(tx, connectionId, await this.secrets.seal(connectionId, key), overlap)
    return { callback, secret: callbackSecretText(key) }
  }

  /** @throws ServiceError 404 */
  async remove(tx: Transaction, connectionId: string): Promise<void> {
    existing(await this.callbacks.lock(tx, connectionId))
    await this.waiting.end(tx, connectionId)
    await this.callbacks.remove(tx, connectionId)
    tx.afterCommit(DELIVERIES_DUE)
  }

  /**
   * Sends a test event and returns its outcome, without any other effect.
   * @returns null without a callback
   * @throws ServiceError 503 if its host is busy with our other requests
   */
  async test(connectionId: string): Promise<CallbackTestAnswer | null> {
    const callback = await this.callbacks.find(this.database, connectionId)
    if (!callback) return null
    const message: CallbackTest = {
      schema_version: SCHEMA_VERSION,
      event_id: newId('evt'),
      type: 'callback.test',
      property_id: connectionId,
      occurred_at: new Date().toISOString(),
    }
    const outcome = await this.sender.send(callback.url, message, await this.secrets.open(callback))
    return {
      schema_version: SCHEMA_VERSION,
      property_id: connectionId,
      delivered: isSuccess(outcome.status),
      status: outcome.status,
      error: errorOf(outcome),
      duration_ms: outcome.durationMs,
    }
  }
}

function existing(callback: StoredCallback | null): StoredCallback {
  if (!callback) throw noCallback()
  return callback
}

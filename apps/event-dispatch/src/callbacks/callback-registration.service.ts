import { createSecretKey } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database'
import { callbackSecretText, newCallbackKey } from '@connectivity/signing'
import { WaitingDeliveriesStore } from '../backlog/waiting-deliveries.store.js'
import type { TargetRules } from '../sending/callback-target.js'
import { TARGET_RULES } from '../sending/http-sender.client.js'
import { type Callback, type CallbackChoice, stateAfterPut } from './callback.js'
import { CallbackSender } from './callback-sender.service.js'
import { CallbackSecrets, type SigningKey } from '../sending/callback-secrets.service.js'
import { CallbackStore } from './callback.store.js'
import { challengeFault, newChallenge } from './challenge.js'
import { checkUrl, unreachable } from './url-refusal.js'

/** A registered callback; `secret` only if the callback was just created. */
export interface Registered {
  callback: Callback
  secret?: string
}

/** Registers callbacks: challenges the receiver first, then stores the callback. */
@Injectable()
export class CallbackRegistration {
  constructor(
    private readonly database: Database,
    private readonly callbacks: CallbackStore,
    private readonly secrets: CallbackSecrets,
    private readonly waiting: WaitingDeliveriesStore,
    private readonly sender: CallbackSender,
    @Inject(TARGET_RULES) private readonly rules: TargetRules,
  ) {}

  /** @throws ServiceError 400 `invalid_request` at /url */
  check({ url }: CallbackChoice): void {
    checkUrl(url, this.rules)
  }

  /**
   * Challenges the receiver, signed with its known secret or, for a new callback, with the secret about to be revealed.
   * @returns the key for a new callback
   * @throws ServiceError 422 `callback_unreachable`, 503 if its host is busy with our other requests
   */
  async challenge(connectionId: string, { url }: CallbackChoice): Promise<Buffer> {
    const key = newCallbackKey()
    const message = newChallenge(connectionId)
    const outcome = await this.sender.send(url, message, await this.keysOf(connectionId, key), { wantsBody: true })
    const fault = challengeFault(outcome, message.challenge)
    if (fault !== null) throw unreachable(fault)
    return key
  }

  /** Stores a callback that passed its challenge; of two concurrent registrations the second changes the first. */
  async store(tx: Transaction, connectionId: string, choice: CallbackChoice, key: Buffer): Promise<Registered> {
    const known = await this.callbacks.lock(tx, connectionId)
    if (known) return { callback: await this.change(tx, known, choice) }
    const sealed = await this.secrets.seal(connectionId, key)
    const callback = await this.callbacks.add(tx, connectionId, choice, sealed)
    if (callback) return { callback, secret: callbackSecretText(key) }
    return { callback: await this.change(tx, (await this.callbacks.lock(tx, connectionId))!, choice) }
  }

  /** Releases waiting deliveries to the new URL at once. */
  private async change(tx: Transaction, known: Callback, choice: CallbackChoice): Promise<Callback> {
    const changed = await this.callbacks.change(tx, { ...known, ...choice, state: stateAfterPut(known.state) })
    await this.waiting.release(tx, known.connectionId)
    return changed
  }

  private async keysOf(connectionId: string, key: Buffer): Promise<SigningKey[]> {
    const known = await this.callbacks.find(this.database, connectionId)
    return known ? this.secrets.open(known) : [{ key: createSecretKey(key), endsAt: Infinity }]
  }
}

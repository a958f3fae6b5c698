import { createSecretKey } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database/database'
import { callbackSecretText, newCallbackKey } from '@connectivity/signing/callback-signature'
import { WaitingDeliveriesStore } from '../backlog/waiting-deliveries.store.js'
import type { TargetRules } from '../sending/callback-target.js'
import { TARGET_RULES } from '../sending/http-sender.client.js'
import { type Callback, type CallbackChoice, stateAfterPut } from './callback.js'
import { CallbackSender } from './callback-sender.service.js'
import { CallbackSecrets, type SigningKey } from '../sending/callback-secrets.js'
import { CallbackStore } from './callback.store.js'
import { challengeFault, newChallenge } from './challenge.js'
import { checkUrl, unreachable } from './url-refusal.js'

/** A callback as registered; `secret` only when it was made with it. */
export interface Registered {
  callback: Callback
  secret?: string
}

/** Registers callbacks: what the receiver proves first, and what is stored then. */
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
   * Has the receiver prove that it is one, signed with the secret that it knows or that it is about to be told.
   * @returns the key for a new callback
   * @throws ServiceError 422 `callback_unreachable`, 503 when its host is busy with other requests of ours
   */
  async challenge(connectionId: string, { url }: CallbackChoice): Promise<Buffer> {
    const key = newCallbackKey()
    const message = newChallenge(connectionId)
    const outcome = await this.sender.send(url, message, await this.keysOf(connectionId, key), { wantsBody: true })
    const fault = challengeFault(outcome, message.challenge)
    if (fault !== null) throw unreachable(fault)
    return key
  }

  /** Stores what passed the challenge; of two made at once the second one changes the first. */
  async store(tx: Transaction, connectionId: string, choice: CallbackChoice, key: Buffer): Promise<Registered> {
    const known = await this.callbacks.lock(tx, connectionId)
    if (known) return { callback: await this.change(tx, known, choice) }
    const sealed = await this.secrets.seal(connectionId, key)
    const callback = await this.callbacks.add(tx, connectionId, choice, sealed)
    if (callback) return { callback, secret: callbackSecretText(key) }
    return { callback: await this.change(tx, (await this.callbacks.lock(tx, connectionId))!, choice) }
  }

  /** What waits goes to the new address at once. */
  private async change(tx: Transaction, known: Callback, choice: CallbackChoice): Promise<Callback> {
    const changed = await this.callbacks.change(tx, { ...known, ...choice, state: stateAfterPut(known.state) })
    await this.waiting.release(tx, known.connectionId)
    return changed
  }

  private async keysOf(connectionId: string, key: Buffer): Promise<SigningKey[]> {
    const known = await this.callbacks.find(this.database.reads, connectionId)
    return known ? this.secrets.open(known) : [{ key: createSecretKey(key), endsAt: Infinity }]
  }
}

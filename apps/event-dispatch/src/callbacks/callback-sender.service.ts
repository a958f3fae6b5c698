import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { type Outcome, SENDER, type Sender, type SendOptions } from '../sending/sender.js'
import { signedRequest } from '../sending/signed-request.js'
import type { SigningKey } from '../sending/callback-secrets.js'

/** What is sent about the callback itself. */
interface Message {
  event_id: string
  type: string
  property_id: string
}

/** Longest wait for a place at the callback's host: with the 15 s of the attempt within the gateway's 20 s, ms. */
const PATIENCE = 3_000
/** An attempt that takes the place lasts that long at most, s. */
const RETRY_AFTER = 15

/** Sends what is about the callback itself: once, and not indexed. */
@Injectable()
export class CallbackSender {
  constructor(@Inject(SENDER) private readonly sender: Sender) {}

  /**
   * @param keys those of them that are alive when it goes out sign it
   * @throws ServiceError 503 when the host is busy with other requests of ours: that is not the callback's fault
   */
  async send(url: string, message: Message, keys: readonly SigningKey[], options?: SendOptions): Promise<Outcome> {
    const { event_id: eventId, type, property_id: callback } = message
    const body = Buffer.from(JSON.stringify(message))
    const request = signedRequest({ callback, url, body, eventId, type, attempt: 1, keys })
    const outcome = await this.sender.send(request, { ...options, patience: PATIENCE })
    if (outcome.error === 'no_place') throw busy()
    return outcome
  }
}

const busy = (): ServiceError =>
  new ServiceError('service_unavailable', "The callback's host is busy with other requests of ours; try again.", {
    retryAfterSeconds: RETRY_AFTER,
  })

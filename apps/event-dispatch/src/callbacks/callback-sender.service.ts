import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { type Outcome, SENDER, type Sender, type SendOptions } from '../sending/sender.js'
import { signedRequest } from '../sending/signed-request.js'
import type { SigningKey } from '../sending/callback-secrets.service.js'

/** A message about the callback itself. */
interface Message {
  event_id: string
  type: string
  property_id: string
}

/** Longest wait for a place at the callback's host, ms. With the attempt's 15 s it fits into the gateway's 20 s. */
const PATIENCE = 3_000
/** Longest time that another attempt holds a place, s. */
const RETRY_AFTER = 15

/** Sends messages about the callback itself; each is sent once and not indexed. */
@Injectable()
export class CallbackSender {
  constructor(@Inject(SENDER) private readonly sender: Sender) {}

  /**
   * @param keys candidates; those still valid at the time of sending sign the message
   * @throws ServiceError 503 if the host is busy with our other requests, which is not the callback's fault
   */
  async send(url: string, message: Message, keys: readonly SigningKey[], options?: SendOptions): Promise<Outcome> {
    const { event_id: eventId, type, property_id: connectionId } = message
    const body = Buffer.from(JSON.stringify(message))
    const request = signedRequest({ callback: connectionId, url, body, eventId, type, attempt: 1, keys })
    const outcome = await this.sender.send(request, { ...options, maxWait: PATIENCE })
    if (outcome.error === 'no_place') throw busy()
    return outcome
  }
}

const busy = (): ServiceError =>
  new ServiceError('service_unavailable', "The callback's host is busy with other requests of ours; try again.", {
    retryAfterSeconds: RETRY_AFTER,
  })

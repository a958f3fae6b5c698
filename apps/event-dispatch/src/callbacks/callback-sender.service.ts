import type { KeyObject } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { type Outcome, SENDER, type Sender, type SendOptions } from '../sending/sender.js'
import { signedHeaders } from '../sending/signed-headers.js'

/** What is sent about the callback itself. */
interface Message {
  event_id: string
  type: string
  property_id: string
}

/** Sends what is about the callback itself: once, and not indexed. */
@Injectable()
export class CallbackSender {
  constructor(@Inject(SENDER) private readonly sender: Sender) {}

  send(url: string, message: Message, secrets: readonly KeyObject[], options?: SendOptions): Promise<Outcome> {
    const { event_id: eventId, type, property_id: callback } = message
    const body = Buffer.from(JSON.stringify(message))
    const headers = signedHeaders({ eventId, type, attempt: 1, body, secrets, now: Date.now() })
    return this.sender.send({ callback, url, body, headers }, options)
  }
}

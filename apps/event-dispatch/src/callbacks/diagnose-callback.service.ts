import { Injectable } from '@nestjs/common'
import type { CallbackDiagnosis, CallbackDiagnosisAnswer } from '@connectivity/contracts/callbacks'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { Queryable } from '@connectivity/database'
import { thinEnvelope } from '../delivery/thin-envelope.js'
import { CallbackSecrets } from '../sending/callback-secrets.service.js'
import { noCallback, noEvent } from '../not-found.js'
import { CallbackStore } from './callback.store.js'
import { diagnose } from './diagnosis.js'
import { SentEventStore } from './sent-event.store.js'

/** Tells partners why a callback does or does not verify. */
@Injectable()
export class DiagnoseCallbackService {
  constructor(
    private readonly callbacks: CallbackStore,
    private readonly secrets: CallbackSecrets,
    private readonly events: SentEventStore,
  ) {}

  /** @throws ServiceError 404 without a callback, and for an event that is not in the connection's index */
  async diagnose(
    on: Queryable,
    connectionId: string,
    { event_id, headers, body_base64 }: CallbackDiagnosis,
  ): Promise<CallbackDiagnosisAnswer> {
    const callback = await this.callbacks.find(on, connectionId)
    if (!callback) throw noCallback()
    const event = await this.events.find(on, connectionId, event_id)
    if (!event) throw noEvent()
    const text = (event.payload ?? callback.payload) === 'thin' ? thinEnvelope(event.text) : event.text
    const sent = { body: Buffer.from(text), times: event.times, keys: await this.secrets.open(callback) }
    const received = { eventId: event_id, headers, body: Buffer.from(body_base64, 'base64') }
    const diagnosis = diagnose(received, sent, Date.now())
    return { schema_version: SCHEMA_VERSION, property_id: connectionId, event_id, ...diagnosis }
  }
}

import { Inject, Injectable } from '@nestjs/common'
import { type EventFilter, eventFilters } from '@connectivity/contracts/event-index'
import { CURSOR_KEYS, SealedCursors } from '@connectivity/service-kit/sealed-cursors'

/** Position at which a reader of the index continues. */
export interface EventPosition {
  /** Sequence of the last event served. */
  after: number
  filter: EventFilter
}

const SEQUENCE_BYTES = 8

/** Continuation tokens of GET /reservations/events. */
@Injectable()
export class EventCursor {
  private readonly cursors: SealedCursors

  constructor(@Inject(CURSOR_KEYS) keys: ReadonlyMap<string, Buffer>) {
    this.cursors = new SealedCursors(keys, SEQUENCE_BYTES + 1, 'the last event you have with after_sequence')
  }

  seal(connectionId: string, { after, filter }: EventPosition): string {
    const payload = Buffer.alloc(SEQUENCE_BYTES + 1)
    payload.writeBigUInt64BE(BigInt(after))
    payload.writeUInt8(eventFilters.indexOf(filter), SEQUENCE_BYTES)
    return this.cursors.seal(connectionId, payload)
  }

  /** @throws ServiceError `invalid_cursor` */
  open(connectionId: string, text: string): EventPosition {
    const payload = this.cursors.open(connectionId, text)
    return { after: Number(payload.readBigUInt64BE()), filter: eventFilters[payload.readUInt8(SEQUENCE_BYTES)]! }
  }
}

import { Inject, Injectable } from '@nestjs/common'
import {
  type DeliveryState,
  deliveryStates,
  type EventFilter,
  eventFilters,
  type EventOrder,
} from '@connectivity/contracts/event-index'
import { CURSOR_KEYS, SealedCursors } from '@connectivity/service-kit/text'

/** Selection and order of the events that a reader of the index gets. */
export interface EventSelection {
  filter: EventFilter
  /** null: events in any state. */
  state: DeliveryState | null
  order: EventOrder
}

/** Position at which a reader of the index continues. */
export interface EventPosition extends EventSelection {
  /** Sequence of the last event served; with `desc` the next ones are below it. */
  last: number
}

const SEQUENCE_BYTES = 8
/** Layout of the last byte: two bits for the filter, three for the state, one for the order. */
const FILTERS = 4
const STATES = 8

/** Continuation tokens of GET /reservations/events. */
@Injectable()
export class EventCursor {
  private readonly cursors: SealedCursors

  constructor(@Inject(CURSOR_KEYS) keys: ReadonlyMap<string, Buffer>) {
    this.cursors = new SealedCursors(keys, SEQUENCE_BYTES + 1, 'the last event you have with after_sequence')
  }

  seal(connectionId: string, { last, ...selection }: EventPosition): string {
    const payload = Buffer.alloc(SEQUENCE_BYTES + 1)
    payload.writeBigUInt64BE(BigInt(last))
    payload.writeUInt8(packed(selection), SEQUENCE_BYTES)
    return this.cursors.seal(connectionId, payload)
  }

  /** @throws ServiceError `invalid_cursor` */
  open(connectionId: string, text: string): EventPosition {
    const payload = this.cursors.open(connectionId, text)
    return { last: Number(payload.readBigUInt64BE()), ...unpacked(payload.readUInt8(SEQUENCE_BYTES)) }
  }
}

const packed = ({ filter, state, order }: EventSelection): number => {
  const ofState = state === null ? 0 : deliveryStates.indexOf(state) + 1
  return eventFilters.indexOf(filter) + FILTERS * (ofState + STATES * (order === 'desc' ? 1 : 0))
}

function unpacked(bits: number): EventSelection {
  const rest = Math.floor(bits / FILTERS)
  return {
    filter: eventFilters[bits % FILTERS]!,
    state: deliveryStates[(rest % STATES) - 1] ?? null,
    order: rest >= STATES ? 'desc' : 'asc',
  }
}

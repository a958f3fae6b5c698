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
  /** Bound of a list with `desc`: it ends before the event of this sequence; 0 for all. */
  after: number
}

const SEQUENCE_BYTES = 8
/** Where the bound begins and ends; cursors without one end before it. */
const BOUND = SEQUENCE_BYTES + 1
const BOUND_END = BOUND + SEQUENCE_BYTES
/** Layout of the byte behind the sequence: two bits for the filter, three for the state, one for the order. */
const FILTERS = 4
const STATES = 8

/** Continuation tokens of GET /reservations/events. */
@Injectable()
export class EventCursor {
  private readonly cursors: SealedCursors

  constructor(@Inject(CURSOR_KEYS) keys: ReadonlyMap<string, Buffer>) {
    this.cursors = new SealedCursors(keys, [BOUND, BOUND_END], 'the last event you have with after_sequence')
  }

  /** Makes the cursor that continues at the position, for this connection only. */
  seal(connectionId: string, { last, after, ...selection }: EventPosition): string {
    const payload = Buffer.alloc(after > 0 ? BOUND_END : BOUND)
    payload.writeBigUInt64BE(BigInt(last))
    payload.writeUInt8(packed(selection), SEQUENCE_BYTES)
    if (after > 0) payload.writeBigUInt64BE(BigInt(after), BOUND)
    return this.cursors.seal(connectionId, payload)
  }

  /** @throws ServiceError `invalid_cursor` */
  open(connectionId: string, text: string): EventPosition {
    const payload = this.cursors.open(connectionId, text)
    const after = payload.length === BOUND_END ? Number(payload.readBigUInt64BE(BOUND)) : 0
    return { last: Number(payload.readBigUInt64BE()), after, ...unpacked(payload.readUInt8(SEQUENCE_BYTES)) }
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

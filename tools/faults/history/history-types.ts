// Record of a run, as observed from outside the services. `check/` judges it. Times `at` and `from` are ms.
import type { BookingStatus } from '@connectivity/contracts/booking-events'
import type { DeliveryState } from '@connectivity/contracts/event-index'
import type { Round } from './figures.ts'

/** A connection by its id, and the booking engine's id of its property. */
export interface Connection {
  connection: string
  property: string
}

/** Place of a message in its topic. */
export interface Place {
  partition: number
  offset: string
}

/** A message of the topic of bookings. */
export interface SourceMessage extends Place {
  text: string
}

/** A reservation or a problem as a page of the feed showed it. */
export interface Row {
  id: string
  updated_at: string
  /** Version of the booking; null, like the status, for a problem. */
  version: number | null
  status: BookingStatus | null
  /** External ids; null for a room that is not mapped. */
  rooms: (string | null)[]
  isProblem: boolean
}

/** A page of the feed that was served to the poller of a connection. */
export interface ServedPage {
  connection: string
  at: number
  /** First page of a pull. */
  isFirst: boolean
  rows: Row[]
}

/** Kind of the request that waits. */
export type WaitKind = 'feed' | 'events'

/** A request of a waiting partner. */
export interface Wait {
  connection: string
  kind: WaitKind
  /** Requested wait, s. */
  seconds: number
  from: number
  at: number
  /** Answered 200. */
  isAnswered: boolean
  /** Stamp of the first row, or id of the first event; null on an empty page and without one. */
  first: string | null
}

/** Changes that only the last look of a waiting request found: no notification had named them. */
export interface LostWakeUps {
  /** Fault at that time, until the next one. */
  during: string
  count: number
  /** Whether the fault cuts notifications off. */
  isExplained: boolean
}

/** A digest that was answered to the poller of a connection. */
export interface AnsweredDigest {
  connection: string
  /** Pages that the poller had taken by then. */
  pages: number
  checkpoint: string
  rows: number
  digest: string
  /** Ids of reservations that have changed since the checkpoint. */
  moved: string[]
}

/** The whole mapping of rooms, from an answer 200. */
interface RoomMapping {
  connection: string
  at: number
  version: number
  /** External ids by the service's own. */
  rooms: Record<string, string>
}

/** An answer to a write of prices; each repetition of a call has its own. */
export interface AriAnswer {
  property: string
  key: string
  /** Identifies the call: no other call uses it. */
  amount: string
  /** Index of the block that the call sets. */
  block: number
  isGood: boolean
  from: number
  at: number
  status: number
  revision: number | null
}

/** A price of the inventory. */
export interface BlockCell {
  /** Index of its block; -1 outside of all blocks. */
  block: number
  amount: string
}

/** Content of a read of the inventory. */
export interface InventoryRead {
  property: string
  from: number
  at: number
  revision: number
  cells: BlockCell[]
}

/** A price of an ARI update. */
export interface RoomCell {
  room: string
  amount: string
}

/** A message of the topic of ARI updates. */
export interface AriUpdate {
  property: string
  revision: number
  cells: RoomCell[]
}

/** Identity of a reservation event. */
interface EventOfReservation {
  connection: string
  event_id: string
  sequence: number
  /** Id of the reservation. */
  id: string
}

/** A message of the topic of reservation events. */
export interface RaisedEvent extends EventOfReservation {
  updated_at: string
}

/** A request at the receiver. */
export interface Delivery extends EventOfReservation {
  at: number
  isVerified: boolean
  /** Answered 204. */
  isTaken: boolean
}

/** An acknowledgement that was answered 200. */
export interface Acknowledgement {
  connection: string
  event_id: string
  isKnown: boolean
}

/** An entry of the index of events. */
export interface IndexEntry {
  connection: string
  event_id: string
  state: DeliveryState
  isAcknowledged: boolean
}

/** A request that must be refused. */
interface Intrusion {
  what: string
  at: number
  status: number
  /** False: the credential may still pass. */
  isInForce: boolean
}

/** A request of a partner that got no proper answer: aborted, 5xx, or an undeserved refusal. */
export interface Failure {
  from: number
  at: number
  what: string
  answer: string
}

/** The time of a fault. */
export interface Period {
  name: string
  from: number
  /** Its end. */
  at: number
}

/** A fault after which the system did not recover. */
interface Unrecovered {
  name: string
  error: string
}

/** Lists are ordered by time; topics are in Kafka's order. */
export interface History {
  seed: number
  /** Number of requests that partners have sent. */
  requests: number
  connections: Connection[]
  source: SourceMessage[]
  /** Places in the topic of bookings. */
  deadLetters: Place[]
  pages: ServedPage[]
  digests: AnsweredDigest[]
  /** Waits in the order of their ends. */
  waits: Wait[]
  lostWakeUps: LostWakeUps[]
  mappings: RoomMapping[]
  ari: AriAnswer[]
  inventory: InventoryRead[]
  updates: AriUpdate[]
  events: RaisedEvent[]
  deliveries: Delivery[]
  acknowledged: Acknowledgement[]
  index: IndexEntry[]
  intrusions: Intrusion[]
  failures: Failure[]
  /** Periods of all faults, until everything worked again. */
  disturbed: Period[]
  /** Periods in which no request may fail. */
  noFailure: Period[]
  unrecovered: Unrecovered[]
  /** Observations of a healthy partner during attacks. */
  isolation: Round[]
}

// A small history without violations, which tests of the checker spoil.
import type { BookingStatus } from '@connectivity/contracts/booking-events'
import { DigestSum } from '@connectivity/contracts/digest-sum'
import type { Figures, Round } from '../history/figures.ts'
import type {
  AnsweredDigest,
  AriAnswer,
  BlockCell,
  Delivery,
  History,
  IndexEntry,
  InventoryRead,
  LostWakeUps,
  Period,
  RaisedEvent,
  RoomCell,
  Row,
  SourceMessage,
  Wait,
  WaitKind,
} from '../history/history-types.ts'
import { booking } from '../users/property.ts'

const CONNECTION = 'con_1'
const PROPERTY = 'prop_1'

const stamp = (number: number): string => `2026-11-20T10:00:00.00${number}Z`

interface Version {
  reservation_id: string
  version: number
  status?: BookingStatus
}

const message = (offset: number, given: Version): SourceMessage => ({
  partition: 0,
  offset: String(offset),
  text: JSON.stringify({ data: booking({ property_id: PROPERTY, room_id: 'rm_0', ...given }) }),
})

const row = (number: number, id: string, version: number): Row => ({
  id,
  updated_at: stamp(number),
  version,
  status: 'confirmed',
  rooms: ['A'],
  isProblem: false,
})

/** Answered after the pages; covers the rows up to the checkpoint except the moved ones. */
function answered(pages: number, checkpoint: number, covered: readonly Row[], moved: string[]): AnsweredDigest {
  const sum = new DigestSum()
  for (const { id, updated_at } of covered) sum.add(updated_at, 'reservation', id)
  const [rows, digest] = [sum.rows, sum.digest()]
  return { connection: CONNECTION, pages, checkpoint: stamp(checkpoint), rows, digest, moved }
}

const digests = (): AnsweredDigest[] => [
  answered(1, 2, [row(1, 'R1', 1), row(2, 'R2', 2)], []),
  answered(1, 2, [row(2, 'R2', 2)], ['R1']),
  answered(2, 3, [row(2, 'R2', 2), row(3, 'R1', 2)], []),
]

const event = (sequence: number, id: string): RaisedEvent => ({
  connection: CONNECTION,
  event_id: `evt_${sequence}`,
  sequence,
  id,
  updated_at: stamp(sequence),
})

const delivery = (sequence: number, id: string): Delivery => ({
  connection: CONNECTION,
  event_id: `evt_${sequence}`,
  sequence,
  id,
  at: T + sequence,
  isVerified: true,
  isTaken: true,
})

const indexed = (sequence: number): IndexEntry => ({
  connection: CONNECTION,
  event_id: `evt_${sequence}`,
  state: 'delivered',
  isAcknowledged: sequence === 1,
})

const cells = (block: number, amount: string): BlockCell[] => Array.from({ length: 6 }, () => ({ block, amount }))
const applied = (amount: string): RoomCell[] => ['rm_0', 'rm_1'].map((room) => ({ room, amount }))

const answer = (amount: string, revision: number, at: number): AriAnswer => ({
  property: PROPERTY,
  key: `key-${amount}`,
  amount,
  block: 0,
  isGood: true,
  from: at - 1,
  at,
  status: 200,
  revision,
})

const readAt = (from: number, revision: number, amount: string): InventoryRead => ({
  ...{ property: PROPERTY, from, at: from + 1, revision },
  cells: cells(0, amount),
})

const MIB = 1024 * 1024
const times = (p99: number, longest = p99) => ({ count: 300, p50: 10, p99, longest })
const figures = (p99: number): Figures => ({
  feed: times(p99),
  events: times(p99),
  ari: times(p99),
  callbacks: times(p99, 200),
})

const round: Round = {
  name: 'an attacker',
  undisturbed: [figures(110), figures(120)],
  attacked: figures(200),
  refused: [],
  busy: 0.5,
  used: { attackers: 0.2, services: 0.6 },
  memory: [{ process: 'gateway', bytes: 200 * MIB, limit: 512 * MIB }],
  dead: [],
}

const T = Date.parse(stamp(0))
const wait = (kind: WaitKind, from: number, at: number, first: string | null): Wait => ({
  ...{ connection: CONNECTION, seconds: 5, isAnswered: true },
  ...{ kind, from: T + from, at: T + at, first },
})

/** Waits that a change has ended, and waits without a change: one of them began before a fault and ended after it. */
const waits = (): Wait[] => [
  wait('feed', -500, 20, stamp(1)),
  wait('feed', 20, 5_020, null),
  wait('events', -500, 40, 'evt_1'),
  wait('events', 40, 5_040, null),
  { ...wait('events', 18_000, 24_000, null), isAnswered: false },
]

const lostWakeUps: LostWakeUps[] = [
  { during: 'no fault', count: 0, isExplained: false },
  { during: 'a restart', count: 2, isExplained: true },
]

const disturbed: Period[] = [
  { name: 'a restart', from: 100, at: 200 },
  { name: 'another', from: T + 19_000, at: T + 23_000 },
]

/** Two reservations, one of them changed once; an unreadable message; two writes, the second answered twice. */
export const goodHistory = (): History => ({
  seed: 1,
  requests: 0,
  connections: [{ connection: CONNECTION, property: PROPERTY }],
  source: [
    message(0, { reservation_id: 'R1', version: 1 }),
    message(1, { reservation_id: 'R2', version: 2 }),
    { partition: 0, offset: '2', text: '{"not even' },
    message(3, { reservation_id: 'R1', version: 2 }),
    message(4, { reservation_id: 'R2', version: 1 }),
    message(5, { reservation_id: 'R3', version: 1, status: 'pending' }),
  ],
  deadLetters: [{ partition: 0, offset: '2' }],
  pages: [
    { connection: CONNECTION, at: 1, isFirst: true, rows: [row(1, 'R1', 1), row(2, 'R2', 2)] },
    { connection: CONNECTION, at: 2, isFirst: true, rows: [row(2, 'R2', 2), row(3, 'R1', 2)] },
  ],
  digests: digests(),
  mappings: [{ connection: CONNECTION, at: 0, version: 1, rooms: { rm_0: 'A' } }],
  ari: [answer('1.01', 1, 10), answer('1.02', 2, 20), answer('1.02', 2, 30)],
  inventory: [readAt(12, 1, '1.01'), readAt(40, 2, '1.02')],
  updates: [1, 2, 2].map((revision) => ({ property: PROPERTY, revision, cells: applied(`1.0${revision}`) })),
  events: [event(1, 'R1'), event(2, 'R2'), event(2, 'R2'), event(3, 'R1')],
  deliveries: [delivery(1, 'R1'), delivery(2, 'R2'), delivery(2, 'R2'), delivery(3, 'R1')],
  acknowledged: [{ connection: CONNECTION, event_id: 'evt_1', isKnown: true }],
  index: [indexed(1), indexed(2), indexed(3)],
  intrusions: [
    { what: 'a stranger', at: 1, status: 403, isInForce: true },
    { what: 'a credential not revoked yet', at: 1, status: 200, isInForce: false },
  ],
  failures: [{ from: 1, at: 2, what: 'GET /reservations', answer: '503 service_unavailable' }],
  waits: waits(),
  lostWakeUps: structuredClone(lostWakeUps),
  disturbed: structuredClone(disturbed),
  noFailure: [{ name: 'a restart', from: 100, at: 200 }],
  unrecovered: [],
  isolation: [structuredClone(round)],
})

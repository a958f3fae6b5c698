import type { ServiceName } from './identity.js'

/** Parties with a Kafka user that write or read topics: our services and the booking engine. */
export type KafkaParty = ServiceName | 'gateway' | 'booking-engine'

/**
 * Retention of a topic, and its permissions. Partition counts are fixed for the life of a topic: the key decides the
 * partition, and order is per key.
 */
export interface TopicDeclaration {
  /** Key of every message; consumers rely on order per key. */
  readonly key: 'property_id' | 'connection_id' | 'subject' | 'as source'
  /** Days a message is kept, or `compacted`: the last message per key for ever. */
  readonly kept: number | 'compacted'
  readonly maxMessageBytes: number
  /** Writers; the broker refuses all others, so consumers trust the messages. */
  readonly writtenBy: readonly KafkaParty[]
  readonly readBy: readonly KafkaParty[]
}

const MIB = 1024 * 1024
/**
 * Longest message of topics with large messages: holds a 4 MiB reservation with its envelope and the previous bytes of
 * a dead letter, and the catalog of a property whose snapshot was as large as its topic allows, with the partner's id
 * and a time beside each entity.
 */
const LARGE = 8 * MIB

/** Every topic of the system. The deploy step creates them; nothing else does (auto-creation is off). */
export const topics = {
  'booking.reservations.v1': {
    key: 'property_id',
    kept: 30,
    maxMessageBytes: MIB,
    writtenBy: ['booking-engine'],
    readBy: ['reservation-feed'],
  },
  'booking.properties.v1': {
    key: 'property_id',
    kept: 'compacted',
    maxMessageBytes: MIB,
    writtenBy: ['booking-engine'],
    readBy: ['catalog', 'gateway'],
  },
  'connectivity.connections.v1': {
    key: 'connection_id',
    kept: 'compacted',
    maxMessageBytes: MIB,
    writtenBy: ['gateway'],
    readBy: ['catalog', 'reservation-feed', 'ari', 'event-dispatch'],
  },
  'connectivity.catalogs.v1': {
    key: 'connection_id',
    kept: 'compacted',
    maxMessageBytes: LARGE,
    writtenBy: ['catalog'],
    readBy: ['gateway', 'reservation-feed', 'ari'],
  },
  'connectivity.reservation-events.v1': {
    key: 'connection_id',
    kept: 14,
    maxMessageBytes: LARGE,
    writtenBy: ['reservation-feed'],
    readBy: ['gateway', 'event-dispatch'],
  },
  'connectivity.ari-updates.v1': {
    key: 'property_id',
    kept: 7,
    maxMessageBytes: MIB,
    writtenBy: ['ari'],
    readBy: ['booking-engine'],
  },
  'connectivity.delivery-risks.v1': {
    key: 'property_id',
    kept: 7,
    maxMessageBytes: MIB,
    writtenBy: ['reservation-feed'],
    readBy: ['booking-engine'],
  },
  'connectivity.operator-changes.v1': {
    key: 'subject',
    kept: 30,
    maxMessageBytes: LARGE,
    writtenBy: ['catalog', 'reservation-feed', 'ari', 'event-dispatch'],
    readBy: ['gateway'],
  },
  'booking.reservations.v1.dlq': {
    key: 'as source',
    kept: 30,
    maxMessageBytes: LARGE,
    writtenBy: ['reservation-feed'],
    readBy: [],
  },
  'booking.properties.v1.dlq': {
    key: 'as source',
    kept: 30,
    maxMessageBytes: LARGE,
    writtenBy: ['catalog', 'gateway'],
    readBy: [],
  },
  'connectivity.connections.v1.dlq': {
    key: 'as source',
    kept: 30,
    maxMessageBytes: LARGE,
    writtenBy: ['catalog', 'reservation-feed', 'ari', 'event-dispatch'],
    readBy: [],
  },
  'connectivity.catalogs.v1.dlq': {
    key: 'as source',
    kept: 30,
    maxMessageBytes: LARGE,
    writtenBy: ['gateway', 'reservation-feed', 'ari'],
    readBy: [],
  },
  'connectivity.reservation-events.v1.dlq': {
    key: 'as source',
    kept: 30,
    maxMessageBytes: LARGE,
    writtenBy: ['gateway', 'event-dispatch'],
    readBy: [],
  },
  'connectivity.operator-changes.v1.dlq': {
    key: 'as source',
    kept: 30,
    maxMessageBytes: LARGE,
    writtenBy: ['gateway'],
    readBy: [],
  },
} as const satisfies Record<string, TopicDeclaration>

/** Name of a topic. */
export type Topic = keyof typeof topics
/** A topic that has a dead-letter topic, that is one which our services consume. */
export type ConsumedTopic = { [T in Topic]: `${T}.dlq` extends Topic ? T : never }[Topic]

/** The dead-letter topic of a consumed topic. */
export const deadLetterTopic = (topic: ConsumedTopic): Topic => `${topic}.dlq`

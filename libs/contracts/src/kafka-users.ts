import { services } from './identity.js'
import { type KafkaParty, type Topic, topics } from './topics.js'

/** Users on Kafka: those who write or read topics, the deploy step that creates them, and the autoscaler. */
export const kafkaUsers = ['gateway', ...services, 'booking-engine', 'create-topics', 'keda'] as const
/** A user of the brokers. */
export type KafkaUser = (typeof kafkaUsers)[number]

/** Operations, in Kafka's terms, that a user may perform on one topic or consumer group; all others are denied. */
export interface KafkaPermission {
  resource: 'topic' | 'group'
  name: string
  operations: readonly ('Read' | 'Write' | 'Describe' | 'Create' | 'DescribeConfigs' | 'AlterConfigs')[]
}

/** A group has the name of its service; a `KAFKA_GROUP_SUFFIX` needs permissions for the longer name. */
const groupOf = (name: string): KafkaPermission => ({ resource: 'group', name, operations: ['Describe', 'Read'] })

const onTopic = (name: string, ...operations: KafkaPermission['operations']): KafkaPermission => ({
  resource: 'topic',
  name,
  operations,
})

const declared = Object.entries(topics) as [Topic, (typeof topics)[Topic]][]
const used = (by: 'writtenBy' | 'readBy', party: KafkaUser): Topic[] =>
  declared.filter(([, topic]) => (topic[by] as readonly KafkaUser[]).includes(party)).map(([name]) => name)

function ofParty(party: KafkaParty): KafkaPermission[] {
  const read = used('readBy', party)
  return [
    ...used('writtenBy', party).map((topic) => onTopic(topic, 'Describe', 'Write')),
    ...read.map((topic) => onTopic(topic, 'Describe', 'Read')),
    ...(read.length > 0 ? [groupOf(party)] : []),
  ]
}

/** Topic whose consumer lag KEDA scales each service by; the group has the name of the service. */
const scaledBy = {
  'reservation-feed': 'booking.reservations.v1',
  'event-dispatch': 'connectivity.reservation-events.v1',
}

const ofKeda = (): KafkaPermission[] =>
  Object.entries(scaledBy).flatMap(([group, topic]) => [
    onTopic(topic, 'Describe'),
    { resource: 'group', name: group, operations: ['Describe'] },
  ])

const ofCreateTopics = (): KafkaPermission[] =>
  declared.map(([name]) => onTopic(name, 'Create', 'Describe', 'DescribeConfigs', 'AlterConfigs'))

/** Everything that a user may do, from what the topics declare. */
export function permissionsOf(user: KafkaUser): KafkaPermission[] {
  if (user === 'keda') return ofKeda()
  return user === 'create-topics' ? ofCreateTopics() : ofParty(user)
}

import type {
  Admin,
  Batch,
  Consumer,
  ConsumerEndBatchProcessEvent,
  ConsumerGroupJoinEvent,
  Kafka,
  Producer,
  TopicMessages,
} from 'kafkajs'

/** Renames topics in both directions. */
interface Names {
  /** Name on the broker. */
  outer: (topic: string) => string
  /** Name in this process. */
  inner: (topic: string) => string
  isOurs: (topic: string) => boolean
}

const namesWith = (prefix: string): Names => ({
  outer: (topic) => prefix + topic,
  inner: (topic) => topic.slice(prefix.length),
  isOurs: (topic) => topic.startsWith(prefix),
})

/**
 * Keeps the topics of one test suite apart from those of others on the same broker: every topic carries the prefix on
 * the broker and has its ordinary name in this process. Covers the calls that services and tests make; any other call
 * names a topic that does not exist, and fails.
 * @returns the same client
 */
export function withTopicPrefix(kafka: Kafka, prefix: string): Kafka {
  const names = namesWith(prefix)
  const { producer, consumer, admin } = kafka
  kafka.producer = (options) => prefixedProducer(producer.call(kafka, options), names)
  kafka.consumer = (options) => prefixedConsumer(consumer.call(kafka, options), names)
  kafka.admin = (options) => prefixedAdmin(admin.call(kafka, options), names)
  return kafka
}

function prefixedProducer(producer: Producer, { outer }: Names): Producer {
  const rename = (given: TopicMessages): TopicMessages => ({ ...given, topic: outer(given.topic) })
  return {
    ...producer,
    send: (record) => producer.send({ ...record, topic: outer(record.topic) }),
    sendBatch: (batch) => producer.sendBatch({ ...batch, topicMessages: batch.topicMessages?.map(rename) }),
  }
}

function prefixedConsumer(consumer: Consumer, { outer, inner }: Names): Consumer {
  const joined = (event: ConsumerGroupJoinEvent): ConsumerGroupJoinEvent => {
    const assignment = Object.entries(event.payload.memberAssignment)
    const memberAssignment = Object.fromEntries(assignment.map(([topic, partitions]) => [inner(topic), partitions]))
    return { ...event, payload: { ...event.payload, memberAssignment } }
  }
  const processed = (event: ConsumerEndBatchProcessEvent): ConsumerEndBatchProcessEvent => ({
    ...event,
    payload: { ...event.payload, topic: inner(event.payload.topic) },
  })
  const renamed = (batch: Batch): Batch =>
    Object.create(batch, { topic: { value: inner(batch.topic), enumerable: true } }) as Batch
  return {
    ...consumer,
    subscribe: (given) =>
      consumer.subscribe(
        'topics' in given ? { ...given, topics: given.topics.map((topic) => outer(`${topic}`)) } : given,
      ),
    run: ({ eachBatch, eachMessage, ...options } = {}) =>
      consumer.run({
        ...options,
        ...(eachBatch && { eachBatch: (payload) => eachBatch({ ...payload, batch: renamed(payload.batch) }) }),
        ...(eachMessage && { eachMessage: (payload) => eachMessage({ ...payload, topic: inner(payload.topic) }) }),
      }),
    seek: (position) => consumer.seek({ ...position, topic: outer(position.topic) }),
    commitOffsets: (offsets) => consumer.commitOffsets(offsets.map((one) => ({ ...one, topic: outer(one.topic) }))),
    on: ((event: Parameters<Consumer['on']>[0], listener: (event: unknown) => void) => {
      const { GROUP_JOIN, END_BATCH_PROCESS } = consumer.events
      if (event === GROUP_JOIN) return consumer.on(event, (given) => listener(joined(given)))
      if (event === END_BATCH_PROCESS) return consumer.on(event, (given) => listener(processed(given)))
      return consumer.on(event as 'consumer.crash', listener)
    }) as Consumer['on'],
  }
}

function prefixedAdmin(admin: Admin, { outer, inner, isOurs }: Names): Admin {
  return {
    ...admin,
    listTopics: async () => (await admin.listTopics()).filter(isOurs).map(inner),
    createTopics: (given) =>
      admin.createTopics({ ...given, topics: given.topics.map((one) => ({ ...one, topic: outer(one.topic) })) }),
    deleteTopics: (given) => admin.deleteTopics({ ...given, topics: given.topics.map(outer) }),
    fetchOffsets: async ({ groupId, topics }) => {
      const found = await admin.fetchOffsets({ groupId, topics: topics?.map(outer) })
      return found.map((one) => ({ ...one, topic: inner(one.topic) }))
    },
    fetchTopicOffsets: (topic) => admin.fetchTopicOffsets(outer(topic)),
    fetchTopicOffsetsByTimestamp: (topic, from) => admin.fetchTopicOffsetsByTimestamp(outer(topic), from),
    fetchTopicMetadata: async (given) => {
      const topics = given?.topics ?? (await admin.listTopics()).filter(isOurs).map(inner)
      const { topics: found } = await admin.fetchTopicMetadata({ topics: topics.map(outer) })
      return { topics: found.map((one) => ({ ...one, name: inner(one.name) })) }
    },
    describeConfigs: (given) =>
      admin.describeConfigs({ ...given, resources: given.resources.map((one) => ({ ...one, name: outer(one.name) })) }),
    alterConfigs: (given) =>
      admin.alterConfigs({ ...given, resources: given.resources.map((one) => ({ ...one, name: outer(one.name) })) }),
  }
}

// Topics of a suite that has ended.
import kafkajs from 'kafkajs'

/** Deletes every topic whose name begins with the prefix. */
export async function deleteTopics(brokers: string[], prefix: string): Promise<void> {
  const admin = new kafkajs.Kafka({ clientId: 'suite-end', brokers, logLevel: kafkajs.logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix))
    if (topics.length > 0) await admin.deleteTopics({ topics }).catch(unlessGone)
  } finally {
    await admin.disconnect()
  }
}

/** The broker may list a topic for a moment after a test deleted it. */
function unlessGone(error: { type?: string; name?: string }): void {
  if (error.type !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error
}

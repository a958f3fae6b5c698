import { pause } from '@connectivity/service-kit/work'
import type { Kafka } from 'kafkajs'

const LIMIT = 60_000
const INTERVAL = 500

/**
 * Waits until the topics exist: kafkajs would otherwise run without partitions for ever, silently.
 * @throws Error naming the missing topics after `limit` ms; the signal's reason once it is aborted
 */
export async function waitForTopics(
  kafka: Kafka,
  topics: readonly string[],
  signal: AbortSignal,
  limit = LIMIT,
): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    for (const deadline = Date.now() + limit; ; await pause(INTERVAL, signal)) {
      signal.throwIfAborted()
      const existing = new Set(await admin.listTopics())
      const missing = topics.filter((topic) => !existing.has(topic))
      if (missing.length === 0) return
      if (Date.now() > deadline)
        throw new Error(`topics are missing: ${missing.join(', ')}; run the deploy step that creates them`)
    }
  } finally {
    await admin.disconnect()
  }
}

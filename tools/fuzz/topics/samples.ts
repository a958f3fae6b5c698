// Good messages to begin from: the last ones that the running system itself has written, under other names.
import { kafkaClient } from '../../../deploy/local/parts/kafka-client.ts'
import type { OperatorsApi } from '@connectivity/toolkit/operators-api'

const PATIENCE = 30_000

interface CloudEvent {
  type: string
  data: Record<string, unknown>
}

/** A good message of a topic. */
export interface Sample {
  topic: string
  key: string
  event: CloudEvent
  /** Compacted topics refuse messages without a key. */
  isCompacted: boolean
}

/** A topic of the system, as libs/contracts describes it. */
type Topics = Record<string, { kept: unknown }>

/** Renames the ids of lanes, so that messages made from a sample never touch the lanes. */
const renamed = (text: string): string =>
  text
    .replaceAll(/\bprop_(demo|fuzz)_\d+/g, 'prop_messages')
    .replaceAll(/\b(con|app|aud|evt)_[0-9a-z]{16,}/g, '$1_messages')

/** Only a change that another service makes for an operator leaves a message on `connectivity.operator-changes.v1`. */
async function changeSomething(operators: OperatorsApi, connectionId: string): Promise<void> {
  const mappings = [{ entity_type: 'room', service_id: 'rm_aurora_single', external_id: 'FUZZ-SINGLE' }]
  await operators.call('PUT', `/connections/${connectionId}/mappings`, { mappings })
}

/** Reads topics from the beginning until each has shown a message. */
async function firstMessages(brokers: string[], topics: string[]): Promise<Map<string, Pick<Sample, 'key' | 'event'>>> {
  const found = new Map<string, Pick<Sample, 'key' | 'event'>>()
  const consumer = kafkaClient(brokers).consumer({ groupId: `fuzz-${process.pid}` })
  await consumer.connect()
  await consumer.subscribe({ topics, fromBeginning: true })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const late = setTimeout(
    () => reject(new Error(`no message on ${topics.filter((topic) => !found.has(topic)).join(', ')}`)),
    PATIENCE,
  )
  await consumer.run({
    eachMessage: async ({ topic, message }) => {
      found.set(topic, { key: renamed(`${message.key}`), event: JSON.parse(renamed(`${message.value}`)) })
      if (found.size === topics.length) resolve()
    },
  })
  await promise.finally(() => clearTimeout(late))
  await consumer.disconnect()
  return found
}

/**
 * One message of each topic that a service consumes.
 * @param connectionId whose mapping is changed to produce one of them
 */
export async function takeSamples(brokers: string[], operators: OperatorsApi, connectionId: string): Promise<Sample[]> {
  // Built by the start of the stack.
  const { topics }: { topics: Topics } = await import('@connectivity/contracts/topics')
  const consumed = Object.keys(topics).filter((topic) => `${topic}.dlq` in topics)
  await changeSomething(operators, connectionId)
  const found = await firstMessages(brokers, consumed)
  return [...found].map(([topic, sample]) => ({ topic, ...sample, isCompacted: topics[topic]!.kept === 'compacted' }))
}

/** The event as the n-th of its kind: higher versions, later places, one of a few reservations. */
export function numbered({ data, ...envelope }: CloudEvent, n: number): CloudEvent {
  const fresh = {
    version: n,
    catalog_version: n,
    sequence: n,
    event_id: `evt_fuzz_${n}`,
    reservation_id: `RSV-${n % 50}`,
  }
  const named = Object.fromEntries(Object.entries(fresh).filter(([name]) => name in data))
  return { ...envelope, data: { ...data, ...named } }
}

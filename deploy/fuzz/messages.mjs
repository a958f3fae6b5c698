// Messages of every kind on every topic that a service consumes: none stops one, and what comes behind takes effect.
import fc from 'fast-check'
import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '../local/parts/databases.mjs'
import { kafkaProducer } from '../local/parts/kafka-client.mjs'
import { topicEnds } from '../local/parts/topic-ends.mjs'
import { distorted, hostileText } from './hostile.mjs'
import { numbered } from './samples.mjs'

/** Together less than a topic takes in one request, long values among them. */
const AT_ONCE = 20
const PATIENCE = 180_000
/** Greatest version or sequence. */
const MOST = 1_000_000

/** Values: samples with changes in them, and bytes that are no message at all. */
const valuesOf = (sample) =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: distorted(fc.nat(MOST).map((n) => numbered(sample, n))).map((value) => JSON.stringify(value)),
    },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    fc.constantFrom(null, '', '{', 'null', '[]', '"text"', '{"data":{}}', '{"specversion":"1.0","data":null}'),
  )

/** A compacted topic takes no message without a key. */
const keysOf = (key, isCompacted) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(key) }, hostileText, fc.constant(isCompacted ? key : null))

const messagesOf = ({ event, key, isCompacted }) => fc.record({ key: keysOf(key, isCompacted), value: valuesOf(event) })

/**
 * Publishes `inputs` messages in all, the same ones for the same seed and samples.
 * @param {{ topic: string, key: string, event: object, isCompacted: boolean }[]} samples
 * @returns {Promise<number>} their number
 */
export async function fuzzTopics(brokers, samples, { inputs, seed }) {
  const producer = kafkaProducer(brokers)
  await producer.connect()
  const numRuns = Math.ceil(inputs / samples.length)
  for (const { topic, ...sample } of samples) {
    const messages = fc.sample(messagesOf(sample), { numRuns, seed })
    for (let from = 0; from < messages.length; from += AT_ONCE)
      await producer.send({ topic, acks: -1, messages: messages.slice(from, from + AT_ONCE) })
  }
  await producer.disconnect()
  return numRuns * samples.length
}

/** Positions that a service still has to reach, as `topic/partition`. */
const behind = (url, ends) =>
  withClient(url, async (client) => {
    const { rows } = await client.query('SELECT topic, partition, next_offset FROM consumed_offset')
    return rows
      .map(({ topic, partition, next_offset }) => [`${topic}/${partition}`, BigInt(next_offset)])
      .filter(([place, next]) => next < (ends.get(place)?.high ?? 0n))
      .map(([place]) => place)
  })

/** @returns {Promise<string[]>} services that did not get to the end of the topics in time, with where they stand */
export async function stuckServices({ kafka, postgres }, topics) {
  const ends = await topicEnds(kafka.brokers, topics)
  const stuck = []
  const deadline = Date.now() + PATIENCE
  for (const [service, url] of Object.entries(postgres)) {
    let left
    while ((left = await behind(url, ends)).length > 0 && Date.now() < deadline) await delay(200)
    if (left.length > 0) stuck.push(`${service}: ${left.join(', ')}`)
  }
  return stuck
}

// Messages in good order to begin from: the last ones that the running system itself has written, under other names.
import { kafkaClient } from '../local/parts/kafka-client.mjs'
import { OperatorsApi } from '../local/demo/operators-api.mjs'

const PATIENCE = 30_000

/** A change that another service makes for an operator: only that leaves a message on `connectivity.operator-changes.v1`. */
async function changeSomething({ ops, applications }) {
  const [{ property_id }] = applications[0].connections
  const mappings = [{ entity_type: 'room', service_id: 'rm_aurora_single', external_id: 'FUZZ-SINGLE' }]
  await new OperatorsApi(ops.base_url, ops.token).call('PUT', `/connections/${property_id}/mappings`, { mappings })
}

/** Ids of the demo's own things are changed, so that what is made of a sample never touches them. */
const renamed = (text) =>
  text.replaceAll(/\bprop_demo_\d/g, 'prop_fuzz').replaceAll(/\b(con|app|aud|evt)_[0-9a-z]{16,}/g, '$1_fuzz')

/**
 * One for each topic that a service consumes.
 * @returns {Promise<{ topic: string, key: string, event: object, isCompacted: boolean }[]>}
 */
export async function takeSamples(demo) {
  // Built by the start of the stack.
  const { topics } = await import('../../libs/contracts/dist/topics.js')
  const consumed = Object.keys(topics).filter((topic) => `${topic}.dlq` in topics)
  await changeSomething(demo)
  const found = new Map()
  const consumer = kafkaClient(demo.kafka.brokers).consumer({ groupId: `fuzz-${process.pid}` })
  await consumer.connect()
  await consumer.subscribe({ topics: consumed, fromBeginning: true })
  const { promise, resolve, reject } = Promise.withResolvers()
  const late = setTimeout(
    () => reject(new Error(`no message on ${consumed.filter((topic) => !found.has(topic))}`)),
    PATIENCE,
  )
  await consumer.run({
    eachMessage: async ({ topic, message }) => {
      found.set(topic, { key: renamed(`${message.key}`), event: JSON.parse(renamed(`${message.value}`)) })
      if (found.size === consumed.length) resolve()
    },
  })
  await promise.finally(() => clearTimeout(late))
  await consumer.disconnect()
  return [...found].map(([topic, sample]) => ({ topic, ...sample, isCompacted: topics[topic].kept === 'compacted' }))
}

/** The sample as the n-th of its kind: higher versions, later places, one of a few reservations. */
export function numbered({ data, ...envelope }, n) {
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

// The minimum that stores bookings: kafkajs and one upsert of up to 500 events. No versions, no feeds, no position.
import pg from 'pg'
import { kafkaClient } from '../../../deploy/local/parts/kafka-client.ts'
import { given } from '@connectivity/toolkit/config'
import { sendToParent } from '../forked.ts'
import { present } from '@connectivity/toolkit/present'

const BATCH = 500
const pool = new pg.Pool({ connectionString: given('DATABASE_URL'), max: 3 })
await pool.query('CREATE TABLE IF NOT EXISTS raw_booking (id text PRIMARY KEY, snapshot text NOT NULL)')
await pool.query('TRUNCATE raw_booking')

const go = new Promise((resolve) => process.once('message', resolve))
const consumer = kafkaClient(given('KAFKA_BROKERS').split(',')).consumer({
  groupId: `raw-${process.pid}`,
  heartbeatInterval: 1_000,
  maxWaitTimeInMs: 300,
  maxBytesPerPartition: 524_288,
})
await consumer.connect()
await consumer.subscribe({ topics: ['booking.reservations.v1'], fromBeginning: true })

let left = Number(given('EVENTS'))
let isReady = false

/** Id of the reservation that an event is about. */
function subjectOf(text: string): string {
  return present(/"subject":"([^"]+)"/.exec(text)?.[1], 'subject')
}

async function upsert(messages: readonly { value: Buffer | null }[]): Promise<void> {
  const snapshots = messages.map(({ value }) => String(value))
  const latest = new Map(snapshots.map((text) => [subjectOf(text), text]))
  await pool.query({
    name: 'raw',
    text: `INSERT INTO raw_booking SELECT * FROM unnest(string_to_array($1, E'\\x1f'), string_to_array($2, E'\\x1f'))
           ON CONFLICT (id) DO UPDATE SET snapshot = excluded.snapshot`,
    values: [[...latest.keys()].join('\x1f'), [...latest.values()].join('\x1f')],
  })
}

await consumer.run({
  autoCommit: false,
  eachBatchAutoResolve: false,
  partitionsConsumedConcurrently: 3,
  eachBatch: async ({ batch: { messages }, resolveOffset, heartbeat }) => {
    if (!isReady) sendToParent('ready')
    isReady = true
    await go
    for (let from = 0; from < messages.length; from += BATCH) await upsert(messages.slice(from, from + BATCH))
    resolveOffset(present(messages.at(-1), 'message').offset)
    left -= messages.length
    if (left <= 0) sendToParent('done')
    await heartbeat()
  },
})

// Kafka messages that are repeated, out of order or unreadable, a storm of rebalances, and a clock that steps back.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withClient } from '../../../deploy/local/parts/databases.ts'
import { kafkaClient } from '../../../deploy/local/parts/kafka-client.ts'
import type { Fault, Run } from './fault.ts'

const STORM = 12_000
const STAY = 1_500
const AHEAD = 8_000

/** Adds members to the feed's and event dispatch's groups that leave again without consuming their assignments. */
async function rebalanceStorm({ stack }: Run): Promise<void> {
  const groups = [
    { groupId: 'reservation-feed', topic: 'booking.reservations.v1' },
    { groupId: 'event-dispatch', topic: 'connectivity.reservation-events.v1' },
  ]
  const kafka = kafkaClient(stack.brokers, { clientId: `storm-${randomUUID()}` })
  for (const end = Date.now() + STORM; Date.now() < end;) {
    const members = groups.map(({ groupId, topic }) => ({ consumer: kafka.consumer({ groupId }), topic }))
    for (const { consumer, topic } of members) {
      await consumer.connect()
      await consumer.subscribe({ topics: [topic] })
      await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: async () => {} })
    }
    await sleep(STAY)
    await Promise.all(members.map(({ consumer }) => consumer.disconnect()))
  }
}

/** Sets stamps as if the clock had been 8 s ahead: from now on it is behind the last stamp. */
const clockSteps = ({ stack }: Run): Promise<void> =>
  withClient(stack.databaseUrls.reservation_feed!, async (client) => {
    await client.query('UPDATE feed_connection SET last_stamp = last_stamp + $1', [AHEAD])
  })

export const messages: Fault[] = [
  {
    name: 'messages-shuffled',
    about: 'all versions of 40 bookings (short: 10), shuffled and each twice',
    isShort: true,
    inject: ({ workload, isShort }) => workload.source.shuffled(isShort ? 10 : 40),
  },
  {
    name: 'messages-unreadable',
    about: '50 unreadable messages (short: 10) among good ones',
    isShort: true,
    inject: ({ workload, isShort }) => workload.source.poison(isShort ? 10 : 50),
  },
  {
    name: 'rebalance-storm',
    about: 'other members join and leave the consumer groups of the feed and of event dispatch for 12 s',
    inject: rebalanceStorm,
  },
  {
    name: 'clock-steps-back',
    about: 'the last stamps are 8 s ahead of the clock, as after a step backwards',
    isShort: true,
    inject: clockSteps,
  },
]

// State at the end of a run: the topics, the index of events, the last pages and the inventory.
import type { AriUpdated } from '@connectivity/contracts/ari-events'
import type { CloudEvent } from '@connectivity/contracts/cloud-event'
import type { EventPage, IndexedEvent } from '@connectivity/contracts/event-index'
import type { ReservationEvent } from '@connectivity/contracts/reservation-events'
import type { AriUpdate, Connection, IndexEntry, Place, RaisedEvent } from './history/history-types.ts'
import { readTopics, type TopicMessage } from './history/topics.ts'
import type { Partner, Workload } from './users/workload.ts'

const BOOKINGS = 'booking.reservations.v1'
const DEAD_LETTERS = `${BOOKINGS}.dlq`
const EVENTS = 'connectivity.reservation-events.v1'
const UPDATES = 'connectivity.ari-updates.v1'

const dataOf = <T>({ text }: TopicMessage): T => (JSON.parse(text) as CloudEvent<T>).data

function eventOf(message: TopicMessage): RaisedEvent {
  const { event_id, sequence, property_id: connection, reservation_id: id, data } = dataOf<ReservationEvent>(message)
  return { connection, event_id, sequence, id, updated_at: data.reservation!.updated_at }
}

function updateOf(message: TopicMessage): AriUpdate {
  const { property_id: property, ari_revision: revision, updates } = dataOf<AriUpdated>(message)
  const cells = updates.flatMap(({ room_id: room, rates = [] }) => rates.map(({ amount }) => ({ room, amount })))
  return { property, revision, cells }
}

const placeOf = ({ headers }: TopicMessage): Place => ({
  partition: Number(headers['source-partition']),
  offset: String(headers['source-offset']),
})

async function indexOf({ client, connection }: Partner): Promise<IndexEntry[]> {
  const events: IndexedEvent[] = []
  for (let query: Record<string, string> = { property_id: connection, limit: '100' }; ;) {
    const answer = await client.send('GET', '/reservations/events', { query })
    if (answer.status !== 200) throw new Error(`GET /reservations/events answers ${answer.status}`)
    const page = answer.body as EventPage
    events.push(...page.events)
    const { next_cursor: cursor } = page.pagination
    if (cursor === null) break
    query = { property_id: connection, limit: '100', cursor }
  }
  return events.map(({ event_id, delivery, acknowledgement }) => ({
    connection,
    event_id,
    state: delivery.state,
    isAcknowledged: acknowledgement !== null,
  }))
}

/** Reads everything again and replaces the results of an earlier read in the history. */
export async function lookAtOutcome(brokers: string[], { partners, history, receiver }: Workload): Promise<void> {
  await receiver.acknowledge()
  for (const { poller, reader } of partners)
    await Promise.all([poller.pull().then(() => poller.compare()), reader.read()])
  const messages = await readTopics(brokers, [BOOKINGS, DEAD_LETTERS, EVENTS, UPDATES])
  const of = (topic: string) => messages.filter((message) => message.topic === topic)
  history.source = of(BOOKINGS).map(({ partition, offset, text }) => ({ partition, offset, text }))
  history.deadLetters = of(DEAD_LETTERS).map(placeOf)
  // Other workloads use their own hotels, whose events have no consumer here.
  const own = history.connections
  const isOwn = (one: Partial<Connection>) =>
    own.some(({ connection, property }) => connection === one.connection || property === one.property)
  history.events = of(EVENTS).map(eventOf).filter(isOwn)
  history.updates = of(UPDATES).map(updateOf).filter(isOwn)
  history.index = (await Promise.all(partners.map(indexOf))).flat()
}

// Reservation events: one for every visible change, in order, delivered and listed, with its acknowledgement kept.
import { storeOf } from './feed.mjs'

const grouped = (list, keyOf) => Map.groupBy(list, keyOf).values()

/** Kafka may hold a message twice, but never two different messages with one id. */
function checkTopic(events) {
  const duplicated = []
  const disordered = []
  for (const same of grouped(events, ({ connection, sequence }) => `${connection} ${sequence}`)) {
    const differing = new Set(same.map((event) => JSON.stringify(event))).size
    if (differing > 1)
      duplicated.push(`${same[0].connection}: ${differing} different events with sequence ${same[0].sequence}`)
  }
  for (const same of grouped(events, ({ connection, updated_at }) => `${connection} ${updated_at}`)) {
    const ids = new Set(same.map(({ event_id }) => event_id))
    if (ids.size > 1) duplicated.push(`${same[0].connection}: ${ids.size} events of one change, ${same[0].updated_at}`)
  }
  for (const own of grouped(events, ({ connection }) => connection)) {
    let [sequence, stamp] = [0, '']
    const seen = new Set()
    for (const event of own) {
      if (seen.has(event.sequence)) continue
      seen.add(event.sequence)
      const isLater = event.sequence > sequence && event.updated_at > stamp
      if (!isLater)
        disordered.push(`${event.connection}: event ${event.sequence} of ${event.updated_at} after ${sequence}`)
      ;[sequence, stamp] = [event.sequence, event.updated_at]
    }
  }
  return { duplicated, disordered }
}

/** Every reservation state that the partner holds in the end must also have arrived as an event. */
function missingEvents(history) {
  const raised = new Set(history.events.map(({ connection, id, updated_at }) => `${connection} ${id} ${updated_at}`))
  return history.connections.flatMap(({ connection }) =>
    [...storeOf(history, connection).values()]
      .filter(({ id, updated_at, isProblem }) => !isProblem && !raised.has(`${connection} ${id} ${updated_at}`))
      .map(({ id, updated_at }) => `${connection}: the change of ${id} at ${updated_at} raised no event`),
  )
}

function undelivered({ events, deliveries, index, acknowledged }) {
  const taken = new Set(deliveries.filter(({ isTaken }) => isTaken).map(({ event_id }) => event_id))
  const listed = new Map(index.map((entry) => [entry.event_id, entry]))
  const lost = []
  for (const { event_id, sequence, connection } of events) {
    const entry = listed.get(event_id)
    if (!taken.has(event_id)) lost.push(`${connection}: event ${sequence} was never delivered (${entry?.state})`)
    if (!entry) lost.push(`${connection}: event ${sequence} is not in the index`)
  }
  for (const { event_id, connection, isKnown } of acknowledged) {
    if (!isKnown) lost.push(`${connection}: nobody knew ${event_id} when it was acknowledged`)
    if (!listed.get(event_id)?.isAcknowledged) lost.push(`${connection}: the acknowledgement of ${event_id} is gone`)
  }
  return [...new Set(lost)]
}

/** An event may be repeated, but no event may be older than one that its reservation already had. */
function outOfOrder(deliveries) {
  const wrong = []
  const latest = new Map()
  for (const { connection, id, sequence } of deliveries) {
    const key = `${connection} ${id}`
    const before = latest.get(key) ?? 0
    if (sequence < before) wrong.push(`${key}: event ${sequence} was delivered after ${before}`)
    latest.set(key, sequence)
  }
  return wrong
}

function forged({ deliveries, events }) {
  const raised = new Set(events.map(({ event_id }) => event_id))
  return [
    ...deliveries
      .filter(({ isVerified }) => !isVerified)
      .map(({ event_id }) => `a callback with a wrong signature: ${event_id}`),
    ...deliveries
      .filter(({ event_id }) => !raised.has(event_id))
      .map(({ event_id }) => `an event nobody raised: ${event_id}`),
  ]
}

/** @param {import('../history/history.mjs').History} history */
export function checkEvents(history) {
  const { duplicated, disordered } = checkTopic(history.events)
  return {
    lost: [...missingEvents(history), ...undelivered(history)],
    duplicated,
    disordered: [...disordered, ...outOfOrder(history.deliveries)],
    unauthorised: forged(history),
  }
}

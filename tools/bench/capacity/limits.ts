// Capacity of each part, and the part that is full first.
import type { Day } from './day.ts'
import { brokers, type Service, services, settingsOf, topicOf } from '@connectivity/toolkit/manifest-settings'
import { instancesWith } from './connections.ts'
import { memoryFull } from './memory.ts'
import { coresOfParts, type Part, parts, PLANNED, workOf } from './model.ts'

/** Assumed: cores of the largest machine planned for a primary, and for a broker. */
const PRIMARY = 16
const BROKER = 4
const MIB = 2 ** 20
/** Topics whose partitions are divided among the instances of a service. */
const CONSUMED: Partial<Record<Service, string>> = {
  'reservation-feed': 'booking.reservations.v1',
  'event-dispatch': 'connectivity.reservation-events.v1',
}

interface Bound {
  cores: number
  because: string
}

/** The first bound of a service's instances. */
function boundOf(service: Service): Bound {
  const { maxReplicas, maxConnections } = settingsOf(service)
  const topic = CONSUMED[service]
  const bounds: [number, string][] = [
    [maxReplicas, `\`maxReplicas\` is ${maxReplicas}`],
    [instancesWith(maxConnections), `\`max_connections\` is ${maxConnections}`],
    ...(topic ? [[topicOf(topic).partitions, `${topicOf(topic).partitions} partitions`] as [number, string]] : []),
  ]
  const [instances, because] = bounds.reduce((first, one) => (one[0] < first[0] ? one : first))
  return { cores: instances * PLANNED, because }
}

const onePrimary: Bound = { cores: PRIMARY, because: `one primary of ${PRIMARY} cores (assumed)` }

/** Most cores of each part, with the reason. */
const limits: Readonly<Record<Part, Bound>> = {
  gateway: boundOf('gateway'),
  'reservation-feed': boundOf('reservation-feed'),
  ari: boundOf('ari'),
  'event-dispatch': boundOf('event-dispatch'),
  "feed's PostgreSQL": onePrimary,
  "ari's PostgreSQL": onePrimary,
  "dispatch's PostgreSQL": onePrimary,
  Kafka: { cores: brokers() * BROKER, because: `${brokers()} brokers of ${BROKER} cores (assumed)` },
  Redis: { cores: 1, because: 'one thread' },
}

/** A part that is full, the resource it lacks, and the number of connections from which it does. */
export interface Full {
  part: string
  resource: 'memory' | 'CPU'
  connections: number
  because: string
}

function memoryOfServices(day: Day): Full[] {
  return services.map((part) => {
    const { limit, heap } = memoryFull(part, day)
    const settings = settingsOf(part)
    return heap < limit
      ? { part, resource: 'memory', connections: heap, because: `the heap is ${settings.heap / MIB} MiB` }
      : { part, resource: 'memory', connections: limit, because: `the limit is ${settings.memory / MIB} MiB` }
  })
}

/** Parts in the order in which they are full as connections grow; work and copies grow with them. */
export function inOrder(day: Day): Full[] {
  const ofOneMillion = coresOfParts(workOf(1e6, day))
  const cpu = parts.map((part): Full => {
    const { cores, because } = limits[part]
    return { part, resource: 'CPU', connections: (1e6 * cores) / ofOneMillion[part], because }
  })
  const all = [...cpu, ...memoryOfServices(day)].filter(({ connections }) => connections < Infinity)
  return all.sort((a, b) => a.connections - b.connections)
}

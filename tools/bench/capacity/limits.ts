// How far each part goes, and what is full first.
import type { Day } from './day.ts'
import { coresOfParts, type Part, parts, PLANNED, workOf } from './model.ts'

/** Instances whose connections fit `max_connections` of 300, at 20 each; and partitions of a topic. */
const BY_CONNECTIONS = 14
const BY_PARTITIONS = 12
/** Cores of a primary, and of three brokers together: the largest machines that are planned with. */
const PRIMARY = 16
const BROKERS = 12

/** Most cores of each part, and why no more. */
const limits: Readonly<Record<Part, { cores: number; because: string }>> = {
  gateway: { cores: BY_CONNECTIONS * PLANNED, because: `${BY_CONNECTIONS} instances fill max_connections` },
  'reservation-feed': { cores: BY_PARTITIONS * PLANNED, because: `${BY_PARTITIONS} partitions` },
  ari: { cores: BY_CONNECTIONS * PLANNED, because: `${BY_CONNECTIONS} instances fill max_connections` },
  'event-dispatch': { cores: BY_PARTITIONS * PLANNED, because: `${BY_PARTITIONS} partitions` },
  "feed's PostgreSQL": { cores: PRIMARY, because: `one primary of ${PRIMARY} cores` },
  "ari's PostgreSQL": { cores: PRIMARY, because: `one primary of ${PRIMARY} cores` },
  "dispatch's PostgreSQL": { cores: PRIMARY, because: `one primary of ${PRIMARY} cores` },
  Kafka: { cores: BROKERS, because: `three brokers of ${BROKERS / 3} cores` },
  Redis: { cores: 1, because: 'one thread' },
}

/** A part and the number of connections at which it is full. */
export interface Full {
  part: Part
  connections: number
  because: string
}

/** Parts in the order in which they are full as connections grow; work grows with them. */
export function inOrder(day: Day): Full[] {
  const ofOneMillion = coresOfParts(workOf(1e6, day))
  return parts
    .map((part) => ({
      part,
      connections: (1e6 * limits[part].cores) / ofOneMillion[part],
      because: limits[part].because,
    }))
    .sort((a, b) => a.connections - b.connections)
}

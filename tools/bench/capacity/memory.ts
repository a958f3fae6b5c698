// Memory of each instance. Every instance of a service holds copies of all connections, so that more instances do not
// help; waiting requests are spread over the gateways.
import type { Day } from './day.ts'
import { type Service, settingsOf } from '@connectivity/toolkit/manifest-settings'
import { countIn, figure, measured } from './measured.ts'
import { coresOfParts, instancesFor, workOf } from './model.ts'

const MB = 1e6
/** Assumed: share of a limit that may be in use at rest; the rest is for requests, batches and garbage. */
export const FILLED = 0.8

/** Memory that one instance of a service needs, bytes. */
export interface Memory {
  /** Memory before the first connection. */
  atRest: number
  /** Memory for each connection. */
  connection: number
}

/** Measured memory of a service; a part that does not grow measurably counts as 0. */
export function memoryOf(service: Service): Memory {
  const { title, also } = measured('scale', 'memory at rest', service)
  const connection = Math.max(0, (also['growth, MB']! * MB) / countIn(title, /(\d+) further connections/))
  const [first, mb] = Object.entries(also).find(([name]) => name.startsWith('after '))!
  return { atRest: mb * MB - countIn(first, /after (\d+)/) * connection, connection }
}

/** Memory of one waiting request at the gateway, bytes. */
export function memoryOfWaiting(): number {
  const { title } = measured('wait', 'commit to first byte')
  return (figure('wait', 'memory of the gateway for all waiting requests') * MB) / countIn(title, /(\d+) waiting requests/)
} // prettier-ignore

/** Memory that one instance needs for a number of connections, bytes. */
export function memoryFor(service: Service, connections: number, day: Day): number {
  const { atRest, connection } = memoryOf(service)
  const own = atRest + connections * connection
  if (service !== 'gateway') return own
  const instances = instancesFor(coresOfParts(workOf(connections, day)).gateway)
  return own + (memoryOfWaiting() * connections * day.waiting) / instances
}

/** Heap of one instance's copies, bytes: everything that a connection adds. The heap at rest is not measured. */
export const heapFor = (service: Service, connections: number): number => connections * memoryOf(service).connection

/** The smallest number of connections at which `needed` reaches a bound; Infinity where it does not grow. */
function reaches(needed: (connections: number) => number, bound: number): number {
  let [low, high] = [0, 1e9]
  if (needed(high) < bound) return Infinity
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (needed(middle) < bound) low = middle
    else high = middle
  }
  return high
}

/** Connections at which a part of the memory's limit and of the heap in it is in use. */
export function memoryFull(service: Service, day: Day, filled = 1): Record<'limit' | 'heap', number> {
  const { memory, heap } = settingsOf(service)
  return {
    limit: reaches((connections) => memoryFor(service, connections, day), filled * memory),
    heap: reaches((connections) => heapFor(service, connections), filled * heap),
  }
}

// Settings of the manifests that must be raised for a number of connections, and their new values.
import type { Day } from './day.ts'
import { disks, type Service, services, settingsOf } from '@connectivity/toolkit/manifest-settings'
import { connectionsFor } from './connections.ts'
import { FILLED, heapFor, memoryFor } from './memory.ts'
import { coresOfParts, instancesFor, type Part, parts, workOf } from './model.ts'
import { volumesOf } from './volumes.ts'

const MIB = 2 ** 20
/** Step in which memory settings are raised, MiB. */
const STEP = 64

/** A setting, its value today, and the value that a number of connections needs; both in the unit of the setting. */
export interface Setting {
  name: string
  unit: 'instances' | 'connections' | 'MiB' | 'bytes'
  today: number
  /** Least value for a number of connections; today's value if that is enough. */
  needs: (connections: number) => number
}

const stepped = (bytes: number): number => Math.ceil(bytes / MIB / STEP) * STEP

/** Instances of a service that its CPU load requires; two if no benchmark measures it. */
function instancesOf(service: Service, connections: number, day: Day): number {
  const cores = coresOfParts(workOf(connections, day))
  return parts.includes(service as Part) ? instancesFor(cores[service as Part]) : instancesFor(0)
}

/** Limit and heap: the heap holds everything that the process needs, and the limit leaves room above it. */
function memorySettings(service: Service, day: Day): Setting[] {
  const { memory, heap } = settingsOf(service)
  const isShort = (connections: number): boolean =>
    memoryFor(service, connections, day) > FILLED * memory || heapFor(service, connections) > FILLED * heap
  const heapOf = (connections: number): number => stepped(memoryFor(service, connections, day))
  return [
    {
      name: `${service}: memory limit`,
      unit: 'MiB',
      today: memory / MIB,
      needs: (connections) => (isShort(connections) ? Math.max(memory / MIB, stepped((heapOf(connections) * MIB) / FILLED)) : memory / MIB),
    },
    {
      name: `${service}: \`--max-old-space-size\``,
      unit: 'MiB',
      today: heap / MIB,
      needs: (connections) => (isShort(connections) ? Math.max(heap / MIB, heapOf(connections)) : heap / MIB),
    },
  ]
} // prettier-ignore

function settings(service: Service, day: Day): Setting[] {
  const { maxReplicas, maxConnections } = settingsOf(service)
  const instances = (connections: number): number => Math.max(maxReplicas, instancesOf(service, connections, day))
  return [
    ...memorySettings(service, day),
    { name: `${service}: \`maxReplicas\``, unit: 'instances', today: maxReplicas, needs: instances },
    {
      name: `${service}: \`max_connections\``,
      unit: 'connections',
      today: maxConnections,
      needs: (connections) => Math.max(maxConnections, connectionsFor(instances(connections))),
    },
  ]
}

/** Every setting that must be raised for one of the sizes. */
export function raised(day: Day, sizes: readonly number[]): Setting[] {
  const { kafka, postgres } = disks()
  const filled = (today: number, held: number): number => Math.max(today, held / FILLED)
  const all: Setting[] = [
    ...services.flatMap((service) => settings(service, day)),
    { name: 'disks of Kafka', unit: 'bytes', today: kafka, needs: (size) => filled(kafka, volumesOf(size, day).kafka) },
    { name: 'disks of the databases, one copy', unit: 'bytes', today: postgres, needs: (size) => filled(postgres, volumesOf(size, day).postgres) },
  ]
  return all.filter(({ today, needs }) => sizes.some((size) => needs(size) > today))
} // prettier-ignore

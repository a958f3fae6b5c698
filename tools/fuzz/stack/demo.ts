// Processes of a stack, from its hand-over file.
import type { HandOver } from '@connectivity/toolkit/hand-over'

/** Process ids by name. */
export const pidsOf = ({ processes }: HandOver): Record<string, number> =>
  Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, pid]))

/**
 * Ids of the processes that serve inputs: all but Kafka, which gets the services' messages later and whose own threads
 * work at any time.
 */
export function servingPids(demo: HandOver): Record<string, number> {
  const { kafka: _kafka, ...serving } = pidsOf(demo)
  return serving
}

/** Names of the project's own processes. */
export const servicesOf = ({ processes }: HandOver): string[] =>
  Object.entries(processes)
    .filter(([, { health_url }]) => health_url !== undefined)
    .map(([name]) => name)

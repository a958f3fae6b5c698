// The hand-over file of a stack, as far as the fuzzer reads it.

export interface Demo {
  base_url: string
  ops: { base_url: string; token: string }
  kafka: { brokers: string[] }
  /** Database addresses by service. */
  postgres: Record<string, string>
  /** Every process of the stack by name: services, PostgreSQL, Redis and Kafka. */
  processes: Record<string, { pid: number; health_url?: string }>
}

/** Process ids by name. */
export const pidsOf = ({ processes }: Demo): Record<string, number> =>
  Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, pid]))

/**
 * Ids of the processes that serve inputs: all but Kafka, which gets the services' messages later and whose own threads
 * work at any time.
 */
export function servingPids(demo: Demo): Record<string, number> {
  const { kafka: _kafka, ...serving } = pidsOf(demo)
  return serving
}

/** Names of the project's own processes. */
export const servicesOf = ({ processes }: Demo): string[] =>
  Object.keys(processes).filter((name) => processes[name]!.health_url !== undefined)

import { Counter, Gauge } from 'prom-client'

let keptBytes = (): number => 0

/** Exports the number of kept bytes as a metric. */
export const showKeptBytes = (count: () => number): void => void (keptBytes = count)

// Computed on each scrape, as the value changes with every answer.
new Gauge({
  name: 'connectivity_answers_kept_bytes',
  help: 'Bytes of answers that clients have not taken yet, kept in memory; the budget is 64 MiB.',
  collect() {
    this.set(keptBytes())
  },
})

/** Answers that were given from memory instead of asking the service. */
export const answersRepeated = new Counter({
  name: 'connectivity_answers_repeated_total',
  help: 'Answers without news that were given again because the connection had not changed, without asking the service.',
})

/** Answers that were aborted because their client read too slowly. */
export const slowReadersEnded = new Counter({
  name: 'connectivity_slow_readers_ended_total',
  help: 'Answers aborted because the client read too slowly, by reason: memory or connection needed by others, or deadline.',
  labelNames: ['needed'] as const,
})

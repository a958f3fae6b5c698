import { Counter, Gauge } from 'prom-client'

let keptBytes = (): number => 0

/** Has the bytes that are kept shown in the metrics. */
export const showKeptBytes = (count: () => number): void => void (keptBytes = count)

// Read when it is asked for, as it changes with every answer.
new Gauge({
  name: 'connectivity_answers_kept_bytes',
  help: 'Bytes of answers that clients have not taken yet, kept in memory; the budget is 64 MiB.',
  collect() {
    this.set(keptBytes())
  },
})

/** Answers that were broken off because they were read too slowly. */
export const slowReadersEnded = new Counter({
  name: 'connectivity_slow_readers_ended_total',
  help: 'Answers broken off because they were read too slowly, by what others needed (memory, connection) or the deadline.',
  labelNames: ['needed'] as const,
})

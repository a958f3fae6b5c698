import { Histogram } from 'prom-client'

const freshness = new Histogram({
  name: 'connectivity_feed_freshness_seconds',
  help: "From the booking engine's time of an event until a connection's feed showed it.",
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600],
})

/**
 * @param times when the events happened at the booking engine, ms
 * @param now ms; delays below zero, from clocks that differ, count as zero
 */
export function noteFreshness(times: readonly number[], now: number): void {
  for (const time of times) freshness.observe(Math.max(0, now - time) / 1000)
}

import { Counter, Histogram } from 'prom-client'

/** Time until a service answers, including the wait for a connection. */
export const upstreamDuration = new Histogram({
  name: 'connectivity_upstream_duration_seconds',
  help: 'Time from asking a service until the head of its answer.',
  labelNames: ['service'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
})

/** Error answers that the gateway gave in place of a service. */
export const upstreamFailures = new Counter({
  name: 'connectivity_upstream_failures_total',
  help: "Error answers given in place of a service's answer, by service and status.",
  labelNames: ['service', 'status'] as const,
})

import { Counter, Gauge, Histogram } from 'prom-client'

/** Requests answered, or abandoned by their client (status 499). */
export const requestsTotal = new Counter({
  name: 'connectivity_http_requests_total',
  help: 'Requests by route template, method, status and error code.',
  labelNames: ['route', 'method', 'status', 'code'] as const,
})

/** Time from the arrival of the headers until the last byte of the answer was handed over. */
export const requestDuration = new Histogram({
  name: 'connectivity_http_request_duration_seconds',
  help: 'Time from the arrival of a request until its answer was handed over.',
  labelNames: ['route', 'method'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})

/** Requests in flight. */
export const requestsInFlight = new Gauge({
  name: 'connectivity_http_requests_in_flight',
  help: 'Requests that have arrived and are not answered yet.',
})

import { Counter, Gauge } from 'prom-client'

/** Requests that wait for a change now. */
export const requestsWaiting = new Gauge({
  name: 'connectivity_waiting_requests',
  help: 'Requests that wait for a change, by the service that answers them.',
  labelNames: ['service'] as const,
})

/**
 * Waits by their end: a change, the end of their time, an end of access, a stop of the gateway, or a client that left.
 */
export const waitsEnded = new Counter({
  name: 'connectivity_waits_ended_total',
  help: 'Waits for a change, by what ended them; backstop: the last look found a change that no notification named.',
  labelNames: ['service', 'by'] as const,
})
// Prometheus sees no increase in a series that begins at 1: the alert would miss the first case.
for (const service of ['reservation-feed', 'event-dispatch']) waitsEnded.inc({ service, by: 'backstop' }, 0)

import { Counter, Gauge, Histogram } from 'prom-client'

/** Attempts by verdict. */
export const deliveryAttempts = new Counter({
  name: 'connectivity_delivery_attempts_total',
  help: 'Attempts to deliver an event, by what became of the delivery.',
  labelNames: ['outcome'] as const,
})
for (const outcome of ['delivered', 'retry', 'failed', 'gone', 'undone']) deliveryAttempts.inc({ outcome }, 0)

/** Duration of attempts, answered or failed. */
export const attemptDuration = new Histogram({
  name: 'connectivity_delivery_attempt_duration_seconds',
  help: "From the beginning of an attempt to the receiver's status line or the attempt's end.",
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 15],
})

/** Delay of events delivered at the first attempt. */
export const deliveryDelay = new Histogram({
  name: 'connectivity_delivery_delay_seconds',
  help: 'From the recording of an event to its delivery, of those delivered at the first attempt.',
  buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300, 3600],
})

/** Callbacks leased by this process. */
export const leasesHeld = new Gauge({
  name: 'connectivity_callback_leases_held',
  help: 'Callbacks that this process delivers to at the moment.',
})

/** Lease changes: `taken`, `taken_back`, `handed_back`, `lost`. */
export const leaseChanges = new Counter({
  name: 'connectivity_callback_lease_changes_total',
  help: 'Leases on callbacks taken, handed back and lost.',
  labelNames: ['change'] as const,
})
for (const change of ['taken', 'taken_back', 'handed_back', 'lost']) leaseChanges.inc({ change }, 0)

/** Callbacks of this process with an open breaker. */
export const breakersOpen = new Gauge({
  name: 'connectivity_callback_breakers_open',
  help: 'Callbacks of this process whose breaker lets nothing through at the moment.',
})

/** Suspensions by the service itself; suspensions by operators are in the audit. */
export const callbackSuspensions = new Counter({
  name: 'connectivity_callback_suspensions_total',
  help: 'Callbacks suspended because they were gone or had no success for five days.',
})

/** Deliveries without a lane, which would never be sent. */
export const strandedDeliveries = new Gauge({
  name: 'connectivity_deliveries_stranded',
  help: 'Waiting deliveries without a lane, at the last check: must be 0.',
})

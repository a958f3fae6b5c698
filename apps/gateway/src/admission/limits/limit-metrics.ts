import { Counter, Gauge } from 'prom-client'

/** Calls counted against a limit. */
export const limitDecisions = new Counter({
  name: 'connectivity_limit_decisions_total',
  help: 'Calls counted against a rate limit, by class of limit, outcome and where they were counted (lease: in Redis, ahead of time; refusal: refused again without asking Redis).',
  labelNames: ['class', 'outcome', 'counted_in'] as const,
})

/** 1 while Redis does not answer and limits are counted in this process. */
export const fallbackActive = new Gauge({
  name: 'connectivity_limit_fallback_active',
  help: '1 while Redis does not answer and rate limits are counted in this process.',
})

/** Refused authentications of partners. */
export const authenticationFailures = new Counter({
  name: 'connectivity_authentication_failures_total',
  help: 'Refused authentications of partners, by reason.',
  labelNames: ['reason'] as const,
})

/** Examinations of signatures that did not match. */
export const signatureExaminations = new Counter({
  name: 'connectivity_signature_examinations_total',
  help: 'Signatures that did not match and were examined, by the mistake that was found.',
  labelNames: ['hint'] as const,
})

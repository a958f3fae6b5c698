import { Counter, Histogram } from 'prom-client'

/** Readings of feeds for digests and their rows, without the wait for a turn. */
export const digestSeconds = new Histogram({
  name: 'connectivity_feed_digest_seconds',
  help: 'Time to read a feed for a digest or for the rows of a bucket, without the wait for a turn.',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})

/** Results of partners' comparisons with our digest. */
export const proofsRecorded = new Counter({
  name: 'connectivity_feed_proofs_total',
  help: 'Proofs that partners recorded, by result: match or differ.',
  labelNames: ['result'] as const,
})
for (const result of ['match', 'differ']) proofsRecorded.inc({ result }, 0)

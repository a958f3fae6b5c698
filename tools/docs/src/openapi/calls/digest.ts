import type { DigestRow, DigestRows, FeedDigest, ProofAnswer, ProofWrite } from '@connectivity/contracts/digest'
import { bucketOf, DigestSum } from '@connectivity/contracts/digest-sum'
import { type CallText, query } from '../call-text.js'
import type { Parameter } from '../model.js'
import { property_id, schema_version } from './samples.js'

const checkpoint = '2026-11-20T10:20:00.002Z'
const held: DigestRow[] = [
  { reservation_id: 'RSV-1001', updated_at: '2026-11-20T10:15:30.123Z', kind: 'reservation' },
  { reservation_id: 'RSV-1003', updated_at: '2026-11-20T10:20:00.001Z', kind: 'reservation' },
  { reservation_id: 'RSV-1002', updated_at: checkpoint, kind: 'problem' },
]
const bucketOfProblem = bucketOf(held[2]!.reservation_id)

function digestOf(given: readonly DigestRow[]): { rows: number; digest: string } {
  const sum = new DigestSum()
  for (const { updated_at, kind, reservation_id } of given) sum.add(updated_at, kind, reservation_id)
  return { rows: sum.rows, digest: sum.digest() }
}

const groups = Map.groupBy(held, ({ reservation_id }) => bucketOf(reservation_id)[0]!)

const whole = {
  schema_version,
  property_id,
  checkpoint,
  ...digestOf(held),
  moved: ['RSV-1004'],
  buckets: null,
} satisfies FeedDigest

const grouped = {
  ...whole,
  buckets: [...groups]
    .map(([bucket, of]) => ({ bucket, ...digestOf(of) }))
    .sort((a, b) => (a.bucket < b.bucket ? -1 : 1)),
} satisfies FeedDigest

const listed = {
  schema_version,
  property_id,
  checkpoint,
  bucket: bucketOfProblem,
  rows: held.slice(2),
  pagination: { limit: 50, count: 1, has_more: false, next_cursor: null },
} satisfies DigestRows

const found = { property_id, checkpoint, ...digestOf(held) } satisfies ProofWrite
const match = {
  schema_version,
  property_id,
  checkpoint,
  result: 'match',
  proven_at: '2026-11-20T10:20:01.500Z',
} satisfies ProofAnswer
const differ = { ...match, result: 'differ', proven_at: null } satisfies ProofAnswer

const required = (parameter: Parameter): Parameter => ({ ...parameter, required: true })

const checkpointParameter = required(
  query(
    'checkpoint',
    'Upper bound on `updated_at`, inclusive, in any form that `updated_since` takes; a finer value is rounded down to the millisecond.',
    { type: 'string', format: 'date-time' },
    checkpoint,
  ),
)

export const digestCalls: Record<string, CallText> = {
  'GET /reservations/digest': {
    operationId: 'getReservationDigest',
    tag: 'Reservations',
    summary: 'Get the digest of reservations',
    description:
      'One value for all rows of the feed up to a checkpoint. Compute the same over the rows that you hold, without those in `moved`: equal means that both sides hold the same. The guide says how, with golden vectors. The whole answer is consistent as of one moment; reservations may change meanwhile.',
    parameters: [
      checkpointParameter,
      query(
        'buckets',
        'Adds the digest of every bucket that has rows: `256`, or `16` for groups by the first digit.',
        { type: 'string', enum: ['16', '256'] },
        '16',
      ),
    ],
    answers: [
      {
        status: 200,
        description: 'The digest.',
        type: 'FeedDigest',
        examples: {
          whole: { summary: 'Three rows, and one that has changed since', value: whole },
          buckets: { summary: 'The same, with groups of buckets', value: grouped },
        },
      },
    ],
    errors: ['checkpoint_too_old'],
  },
  'GET /reservations/digest/rows': {
    operationId: 'listDigestRows',
    tag: 'Reservations',
    summary: 'List the rows of a bucket',
    description:
      'The rows behind the digest of a bucket, by `updated_at`: to find out which of yours differ. The cursor holds checkpoint and bucket: a continuation may leave them out; values that differ from the cursor are rejected.',
    parameters: [
      checkpointParameter,
      required(
        query(
          'bucket',
          'Two lower-case hex digits, or one for a group of 16 buckets.',
          { type: 'string', pattern: '^[0-9a-f]{1,2}$' },
          bucketOfProblem,
        ),
      ),
      query(
        'cursor',
        '`pagination.next_cursor` of the page before; it holds checkpoint and bucket.',
        { type: 'string' },
        'YzEuAX5rQ2sZ3v0wq7Hn1mTt8b4y9s2cJxkLr5e6uVd0aPfG',
      ),
      query('limit', 'Page size.', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 50),
    ],
    answers: [
      {
        status: 200,
        description: 'A page, possibly empty.',
        type: 'DigestRows',
        examples: { rows: { summary: 'A bucket with one row', value: listed } },
      },
    ],
    errors: ['invalid_cursor'],
  },
  'POST /reservations/proofs': {
    operationId: 'recordProof',
    tag: 'Reservations',
    summary: 'Record a proof',
    description:
      'Records the digest of the rows that you hold. It matches if it equals our digest now, or the one that we answered for this checkpoint within the last 5 minutes. A checkpoint after the last `updated_at` of the connection is recorded as that one.',
    requests: { found: { summary: 'Three rows', value: found } },
    answers: [
      {
        status: 200,
        description: 'Recorded.',
        type: 'ProofAnswer',
        examples: {
          match: { summary: 'Both sides hold the same', value: match },
          differ: { summary: 'The sides differ', value: differ },
        },
      },
    ],
  },
}

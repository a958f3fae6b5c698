import { invalidParameter, ServiceError } from '@connectivity/contracts/errors'
import {
  isSent,
  readConnectionId,
  readPageLimit,
  readParameter,
  readTogether,
} from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { parseCheckpoint } from '@connectivity/contracts/time'
import { readStampParameter } from '../pages/stamp-parameter.js'
import type { BucketDigits } from './checkpoint-digest.js'

/** The parameters of GET /reservations/digest, checked. */
export interface DigestQuery {
  connectionId: string
  /** Greatest stamp covered, ms. */
  checkpoint: number
  /** Number of digits of the bucket by which rows are grouped; 0: no groups. */
  digits: BucketDigits
}

/** The parameters of GET /reservations/digest/rows, checked; beside a cursor, those that it holds may be absent. */
export interface RowsQuery {
  connectionId: string
  checkpoint: number | null
  /** Both digits of a bucket, or the first digit of 16 buckets. */
  bucket: string | null
  cursor: string | null
  limit: number
}

const BUCKET = /^[0-9a-f]{1,2}$/
const digitsOf: Readonly<Record<string, BucketDigits>> = { '16': 1, '256': 2 }

function missing(name: string, hint: string): ServiceError {
  return invalidParameter(name, 'missing', `The query parameter ${name} is required: ${hint}.`)
}

function readCheckpoint(query: URLSearchParams, isRequired: boolean): number | null {
  const checkpoint = readStampParameter(query, 'checkpoint', parseCheckpoint)
  if (checkpoint !== null || !isRequired) return checkpoint
  throw missing('checkpoint', 'the greatest updated_at up to which you have processed everything')
}

function readBucket(query: URLSearchParams, isRequired: boolean): string | null {
  const bucket = readParameter(query, 'bucket')
  if (bucket === null && isRequired) throw missing('bucket', 'two digits, or one for a group of 16')
  if (bucket === null || BUCKET.test(bucket)) return bucket
  throw invalidParameter('bucket', 'malformed', 'bucket must be two lower-case hex digits, or one for a group of 16.')
}

function readDigits(query: URLSearchParams): BucketDigits {
  const text = readParameter(query, 'buckets')
  const digits = text === null ? 0 : digitsOf[text]
  if (digits !== undefined) return digits
  throw invalidParameter('buckets', 'unknown_value', 'buckets must be 16 or 256; leave it out for one digest.')
}

/**
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming every invalid parameter
 */
export function parseDigestQuery(target: string): DigestQuery {
  const query = new URLSearchParams(queryOf(target))
  return readTogether({
    connectionId: () => readConnectionId(query),
    checkpoint: () => readCheckpoint(query, true)!,
    digits: () => readDigits(query),
  })
}

/**
 * @param target raw request target
 * @throws ServiceError `invalid_request` naming every invalid parameter
 */
export function parseRowsQuery(target: string): RowsQuery {
  const query = new URLSearchParams(queryOf(target))
  const isFirstPage = !isSent(query, 'cursor')
  return readTogether({
    connectionId: () => readConnectionId(query),
    checkpoint: () => readCheckpoint(query, isFirstPage),
    bucket: () => readBucket(query, isFirstPage),
    limit: () => readPageLimit(query),
    cursor: () => readParameter(query, 'cursor'),
  })
}

import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'
import { IDEMPOTENCY_KEY, readIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import type { Operation } from '@connectivity/contracts/operation'
import {
  checkJsonMediaType,
  headerValues,
  readBody,
  readStrictJson,
  type StrictReading,
  valueOf,
} from '@connectivity/service-kit/http'

type Shape = new () => object

const withoutBody = new Map<Shape, boolean>()

/** Whether a call with this body shape may also come without a body. */
function mayBeAbsent(shape: Shape): boolean {
  const known = withoutBody.get(shape)
  if (known !== undefined) return known
  const may = isAccepted(shape)
  withoutBody.set(shape, may)
  return may
}

function isAccepted(shape: Shape): boolean {
  try {
    return readBody(shape, {}) instanceof shape
  } catch {
    return false
  }
}

/**
 * Reads the JSON of a mutation.
 * @param read the result of an earlier parse, if there was one
 * @returns undefined when the body is absent and not required
 * @throws ServiceError 415 `unsupported_media_type`, 400 `invalid_request`
 */
export function readJson(
  { body: shape }: Operation,
  { headers, rawHeaders }: Pick<IncomingMessage, 'headers' | 'rawHeaders'>,
  bytes: Buffer,
  read?: StrictReading,
): unknown {
  const isEmpty = bytes.length === 0
  if (isEmpty && (!shape || mayBeAbsent(shape))) return undefined
  if (!isEmpty || headers['content-type'] !== undefined) checkJsonMediaType(headers, rawHeaders)
  return valueOf(read ?? readStrictJson(bytes))
}

/**
 * Checks the parsed body against the operation's shape and rule. The owning service checks it again: it trusts the
 * gateway only for the caller's identity.
 * @param query raw, without `?`
 * @throws ServiceError 400 `invalid_request` with a detail for each fault
 */
export function checkBody({ body: shape, rule }: Operation, query: string, value: unknown): void {
  if (value === undefined) return
  if (shape) {
    const body = readBody(shape, value)
    return rule?.(query, body)
  }
  const message = 'This call takes no body; send it without one.'
  throw new ServiceError('invalid_request', message, { details: [{ pointer: '', code: 'unexpected_body', message }] })
}

/** @throws ServiceError 400 `idempotency_key_required` or `invalid_idempotency_key` */
export const idempotencyKeyOf = ({ rawHeaders }: IncomingMessage): string =>
  readIdempotencyKey(headerValues(rawHeaders, IDEMPOTENCY_KEY))

import { ServiceError } from './errors.js'

/** Name of the header as partners know it. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'

const VISIBLE = /^[\x21-\x7e]{1,255}$/
const QUOTED = /^"([\x21\x23-\x5b\x5d-\x7e]{1,255})"$/

const malformed = (message: string): ServiceError =>
  new ServiceError('invalid_idempotency_key', message, {
    details: [{ pointer: IDEMPOTENCY_KEY, code: 'malformed_header', message }],
  })

const missing = (): ServiceError => {
  const message = `Send ${IDEMPOTENCY_KEY}: a value of your own that is new for each change and the same for each retry of it.`
  return new ServiceError('idempotency_key_required', message, {
    details: [{ pointer: IDEMPOTENCY_KEY, code: 'missing_header', message }],
  })
}

/**
 * The key of a mutation; `k` and `"k"` are the same key.
 * @param values every value of the header as sent
 * @throws ServiceError 400 `idempotency_key_required` for an absent or empty one, `invalid_idempotency_key` for a
 * malformed one
 */
export function readIdempotencyKey(values: readonly string[]): string {
  const [value = '', ...more] = values
  if (more.length > 0) throw malformed(`Send ${IDEMPOTENCY_KEY} exactly once.`)
  if (value === '') throw missing()
  const key = QUOTED.exec(value)?.[1] ?? bareKey(value)
  if (key !== null) return key
  throw malformed(`${IDEMPOTENCY_KEY} must be 1 to 255 visible ASCII characters, bare or in double quotes.`)
}

/**
 * Reads the key of a change that needs none.
 * @returns null when it is absent or empty
 * @throws ServiceError 400 `invalid_idempotency_key` when malformed
 */
export const readOptionalIdempotencyKey = (values: readonly string[]): string | null =>
  values.every((value) => value === '') ? null : readIdempotencyKey(values)

const bareKey = (value: string): string | null =>
  VISIBLE.test(value) && !value.startsWith('"') && !value.endsWith('"') ? value : null

import { invalidParameter, ServiceError } from './errors.js'

/** Longest value of a parameter, of a query or a token request, bytes of UTF-8. */
export const MAX_VALUE_BYTES = 1024

/** Whether a query has the parameter, also as `name[]`, which is refused. */
export const isSent = (parameters: URLSearchParams, name: string): boolean =>
  parameters.has(name) || parameters.has(`${name}[]`)

/**
 * Reads one query parameter by the rules that hold for all of them.
 * @param query the raw query without `?`, or the parsed one
 * @returns null when it is absent
 * @throws ServiceError 400 `invalid_request` naming the parameter when it is repeated, written as `name[]`, empty,
 * longer than 1 KiB or contains NUL
 */
export function readParameter(query: string | URLSearchParams, name: string): string | null {
  if (query === '') return null
  const parameters = typeof query === 'string' ? new URLSearchParams(query) : query
  if (parameters.has(`${name}[]`)) {
    throw invalidParameter(name, 'array', `Send ${name} once and without brackets: ${name}=value.`)
  }
  const values = parameters.getAll(name)
  if (values.length > 1) throw invalidParameter(name, 'repeated', `Send ${name} only once.`)
  return values.length === 0 ? null : checkValue(values[0]!, name)
}

/**
 * Checks a value by the rules for all parameters, of a query or a body.
 * @throws ServiceError 400 `invalid_request` naming the parameter
 */
export function checkValue(value: string, name: string): string {
  if (value === '') throw invalidParameter(name, 'empty', `${name} is empty; give it a value or leave it out.`)
  if (value.includes('\0')) throw invalidParameter(name, 'nul', `${name} must not contain NUL (%00).`)
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
    throw invalidParameter(name, 'too_long', `${name} must not be longer than 1 KiB.`)
  }
  return value
}

/**
 * Checks that a parameter is one of the words that it takes.
 * @returns null for an absent parameter
 * @throws ServiceError 400 `invalid_request` naming the words, with `unknown_value` as the detail's code
 */
export function checkWord<Word extends string>(text: string, name: string, words: readonly Word[]): Word
export function checkWord<Word extends string>(
  text: string | null | undefined,
  name: string,
  words: readonly Word[],
): Word | null
export function checkWord<Word extends string>(
  text: string | null | undefined,
  name: string,
  words: readonly Word[],
): Word | null {
  const word = words.find((one) => one === text) ?? null
  if (word !== null || text === null || text === undefined) return word
  throw invalidParameter(name, 'unknown_value', `${name} must be one of ${words.join(', ')}.`)
}

/**
 * Reads parameters that do not depend on each other, so that one refusal names every faulty one.
 * @param readers readers of the parameters, by the names of the results
 * @throws ServiceError 400 `invalid_request` with the details of all readers that throw one
 */
export function readTogether<Values extends object>(readers: { [Name in keyof Values]: () => Values[Name] }): Values {
  const values: Partial<Values> = {}
  const refusals: ServiceError[] = []
  for (const name of Object.keys(readers) as (keyof Values)[]) {
    try {
      values[name] = readers[name]()
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error
      refusals.push(error)
    }
  }
  const [first] = refusals
  if (!first) return values as Values
  throw new ServiceError('invalid_request', first.message, { details: refusals.flatMap(({ details = [] }) => details) })
}

const LIMIT = /^[1-9][0-9]{0,2}$/
const MAX_LIMIT = 100
const DEFAULT_LIMIT = 50

/**
 * The page size that a query asks for, 50 when it does not say.
 * @throws ServiceError 400 `invalid_request` for anything but 1 to 100 in plain digits
 */
export function readPageLimit(query: string | URLSearchParams): number {
  const text = readParameter(query, 'limit')
  if (text === null) return DEFAULT_LIMIT
  const limit = LIMIT.test(text) ? Number(text) : Infinity
  if (limit > MAX_LIMIT) {
    throw invalidParameter('limit', 'out_of_range', `limit must be a whole number from 1 to ${MAX_LIMIT}.`)
  }
  return limit
}

/**
 * The connection that a query addresses.
 * @throws ServiceError 400 `invalid_request` when it is absent or malformed
 */
export function readConnectionId(query: string | URLSearchParams): string {
  const connectionId = readParameter(query, 'property_id')
  if (connectionId !== null) return connectionId
  const hint = 'The query parameter property_id is required: use an id from GET /properties.'
  throw invalidParameter('property_id', 'missing', hint)
}

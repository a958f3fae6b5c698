import { type CallbackDiagnosis, type CallbackWrite, MAX_CALLBACK_URL } from './callbacks.js'
import { type ErrorDetail, invalidParameter, ServiceError } from './errors.js'
import type { EventsReplay } from './event-index.js'
import type { MappingWrite, MappingsWrite } from './mappings.js'
import { readParameter } from './query-parameters.js'

/**
 * Checks of a mutation's parameters and body beyond its shape, made by the gateway before the Idempotency-Key and again
 * by the owner.
 * @param query raw, without `?`
 * @param body of the operation's shape
 * @throws ServiceError 400 `invalid_request`
 */
export type MutationRule = (query: string, body: object) => void

/**
 * Whether a call to POST /ari is a dry run.
 * @throws ServiceError 400 for anything but `true` and `false`
 */
export function readDryRun(query: string): boolean {
  const value = readParameter(new URLSearchParams(query), 'dry_run')
  if (value === null || value === 'false') return false
  if (value === 'true') return true
  throw invalidParameter('dry_run', 'invalid_value', 'dry_run must be true or false.')
}

/** @throws ServiceError 400 when a body names one entity twice */
export function checkNamedOnce(items: readonly MappingWrite[]): void {
  const seen = new Set<string>()
  const details = items.flatMap(({ entity_type, service_id }, index): ErrorDetail[] => {
    const key = `${entity_type}\n${service_id}`
    const again = seen.has(key)
    seen.add(key)
    if (!again) return []
    return [
      { pointer: `/mappings/${index}`, code: 'repeated', message: `/mappings/${index} names an entity a second time.` },
    ]
  })
  if (details.length > 0) {
    throw new ServiceError('invalid_request', 'The body is not accepted: name each entity once.', { details })
  }
}

/** Events to deliver again: their ids, or a range of sequences. */
export type ReplayChoice = { eventIds: readonly string[] } | { from: number; to: number }

/** @throws ServiceError 400 unless there are either ids or both ends of a range */
export function replayChoice({ event_ids, ...range }: EventsReplay): ReplayChoice {
  if (event_ids === undefined) return rangeOf(range)
  for (const name of ['from_sequence', 'to_sequence'] as const) {
    if (range[name] !== undefined) {
      throw refused(`/${name}`, `${name} cannot be combined with event_ids; send ids or a range.`)
    }
  }
  return { eventIds: event_ids }
}

/** Greatest sequence that an event can have; much greater numbers do not fit into PostgreSQL's `bigint`. */
const GREATEST = Number.MAX_SAFE_INTEGER

function rangeOf({ from_sequence: from, to_sequence: to }: Partial<EventsReplay>): ReplayChoice {
  if (from === undefined && to === undefined) throw refused('', 'send event_ids, or from_sequence and to_sequence.')
  if (from === undefined) throw refused('/from_sequence', 'from_sequence is missing.', 'missing')
  if (to === undefined) throw refused('/to_sequence', 'to_sequence is missing.', 'missing')
  if (to < from) throw refused('/to_sequence', 'to_sequence must not be below from_sequence.')
  return { from: Math.min(from, GREATEST), to: Math.min(to, GREATEST) }
}

/** @throws ServiceError 400 when the value of a header is not a string */
export function checkHeaderTexts({ headers }: CallbackDiagnosis): void {
  const details = Object.entries(headers).flatMap(([name, value]: [string, unknown]): ErrorDetail[] => {
    if (typeof value === 'string') return []
    const pointer = `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return [{ pointer, code: 'invalid_value', message: `${pointer}: must be a text.` }]
  })
  if (details.length > 0) {
    throw new ServiceError('invalid_request', 'The body is not accepted: send each header as one text.', { details })
  }
}

/** Reasons to refuse the text of a callback URL, independent of the configuration. */
export type UrlTextFault = 'too_long' | 'malformed' | 'https_required' | 'fragment' | 'userinfo'

/** Messages for each fault of a callback's URL. */
export const urlTextFaults: Record<UrlTextFault, string> = {
  too_long: 'The URL is too long; at most 2,048 characters are taken.',
  malformed: 'The text is not an absolute URL; send one such as https://hooks.example.com/reservations.',
  https_required: 'The URL must begin with https://.',
  userinfo: 'The URL must not hold a user name or password; requests are signed instead.',
  fragment: 'The URL must not hold a fragment (#).',
}

/** Characters that URL parsers drop or replace. */
const UNCLEAN = /[\s\\\p{Cc}]/u
const HTTP_URL = /^https?:\/\/[^/]/i
const USERINFO = /^[^/]*\/\/[^/?]*@/

/** @returns null for an acceptable URL */
export function urlTextFault(text: string): UrlTextFault | null {
  if (text.length > MAX_CALLBACK_URL) return 'too_long'
  if (UNCLEAN.test(text) || !URL.canParse(text)) return 'malformed'
  if (!HTTP_URL.test(text)) return 'https_required'
  if (text.includes('#')) return 'fragment'
  return USERINFO.test(text) ? 'userinfo' : null
}

/** 400 for a callback's URL. */
export const refusedUrl = (code: string, message: string): ServiceError => refused('/url', message, code)

function checkUrlText({ url }: CallbackWrite): void {
  const fault = urlTextFault(url)
  if (fault) throw refusedUrl(fault, urlTextFaults[fault])
}

function refused(pointer: string, message: string, code = 'invalid_value'): ServiceError {
  return new ServiceError('invalid_request', `The body is not accepted: ${message}`, {
    details: [{ pointer, code, message }],
  })
}

/** Rules of the operations that have one. */
export const mutationRules = {
  ari: (query) => void readDryRun(query),
  mappings: (_query, body) => checkNamedOnce((body as MappingsWrite).mappings),
  callback: (_query, body) => checkUrlText(body as CallbackWrite),
  diagnosis: (_query, body) => checkHeaderTexts(body as CallbackDiagnosis),
  replay: (_query, body) => void replayChoice(body as EventsReplay),
} satisfies Record<string, MutationRule>

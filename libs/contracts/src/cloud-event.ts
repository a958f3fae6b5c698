import { ContractViolation } from './contract-violation.js'
import { parseTimestamp } from './time.js'

/** CloudEvents 1.0 in structured JSON mode: the envelope of every message on every topic. */
export interface CloudEvent<T> {
  specversion: '1.0'
  id: string
  source: string
  type: string
  subject: string
  time: string
  datacontenttype: 'application/json'
  data: T
}

/** The message as published: the envelope as text around data that is already JSON text. */
export function cloudEventText(
  event: Omit<CloudEvent<never>, 'data' | 'specversion' | 'datacontenttype'>,
  data: string,
): string {
  const head = JSON.stringify({ specversion: '1.0', ...event, datacontenttype: 'application/json' })
  return `${head.slice(0, -1)},"data":${data}}`
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parseJson(value: Uint8Array): unknown {
  if (value.length === 0) throw new ContractViolation('', 'is empty')
  try {
    return JSON.parse(utf8.decode(value))
  } catch {
    throw new ContractViolation('', 'is not JSON in UTF-8')
  }
}

/** What is looked at of an envelope. */
export interface OpenedEvent {
  /** Unchecked. */
  data: unknown
  /** When the event happened, ms since the epoch; null when the envelope does not say it readably. */
  time: number | null
}

/**
 * Opens an envelope.
 * @throws ContractViolation when it is not JSON or not a CloudEvent with data
 */
export function openTimedEvent(value: Uint8Array): OpenedEvent {
  const event = parseJson(value)
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new ContractViolation('', 'must be a CloudEvents object')
  }
  const { specversion, data, time } = event as Partial<CloudEvent<unknown>>
  if (specversion !== undefined && specversion !== '1.0') throw new ContractViolation('/specversion', 'must be "1.0"')
  if (data === undefined) throw new ContractViolation('/data', 'is required')
  return { data, time: typeof time === 'string' ? parseTimestamp(time) : null }
}

/**
 * As `openTimedEvent`.
 * @returns the event's `data`, unchecked
 */
export const openCloudEvent = (value: Uint8Array): unknown => openTimedEvent(value).data

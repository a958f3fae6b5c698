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

/** Wraps JSON text in an envelope. */
export function cloudEventText(
  event: Omit<CloudEvent<never>, 'data' | 'specversion' | 'datacontenttype'>,
  data: string,
): string {
  const head = JSON.stringify({ specversion: '1.0', ...event, datacontenttype: 'application/json' })
  return `${head.slice(0, -1)},"data":${data}}`
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(value: Uint8Array): string {
  if (value.length === 0) throw new ContractViolation('', 'is empty')
  try {
    return utf8.decode(value)
  } catch {
    throw new ContractViolation('', 'is not JSON in UTF-8')
  }
}

type Reviver = Parameters<typeof JSON.parse>[1]

function parseJson(text: string, reviver?: Reviver): unknown {
  try {
    return JSON.parse(text, reviver)
  } catch {
    throw new ContractViolation('', 'is not JSON in UTF-8')
  }
}

/** The parts of an envelope that consumers use. */
export interface OpenedEvent {
  /** Unchecked. */
  data: unknown
  /** When the event happened, ms since the epoch; null when the envelope has no time or a malformed one. */
  time: number | null
}

function openParsed(event: unknown): OpenedEvent {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    throw new ContractViolation('', 'must be a CloudEvents object')
  }
  const { specversion, data, time } = event as Partial<CloudEvent<unknown>>
  if (specversion !== undefined && specversion !== '1.0') throw new ContractViolation('/specversion', 'must be "1.0"')
  if (data === undefined) throw new ContractViolation('/data', 'is required')
  return { data, time: typeof time === 'string' ? parseTimestamp(time) : null }
}

/**
 * Opens an envelope.
 * @throws ContractViolation when it is not JSON or not a CloudEvent with data
 */
export const openTimedEvent = (value: Uint8Array): OpenedEvent => openParsed(parseJson(decode(value)))

/**
 * Opens an envelope like `openTimedEvent`.
 * @returns the event's `data`, unchecked
 */
export const openCloudEvent = (value: Uint8Array): unknown => openTimedEvent(value).data

/**
 * Opens an envelope and keeps the text of its data, so that numbers keep every digit when they are passed on.
 * @returns the data, unchecked, and its JSON text: byte for byte as it came when the envelope ends with it, as
 * `cloudEventText` writes it
 */
export function openCloudEventText(value: Uint8Array): { data: unknown; text: string } {
  const whole = decode(value)
  const parts = splitBeforeData(whole)
  if (parts) return { data: openParsed(parts.event).data, text: parts.text }
  const { data } = openParsed(parseJson(whole))
  return { data, text: JSON.stringify(openParsed(parseJson(whole, keepDigits)).data) }
}

/** Marks the key `data`: inside a string the quotes would be escaped, so the first occurrence is the key. */
const DATA = ',"data":'

function splitBeforeData(whole: string): { event: unknown; text: string } | null {
  const at = whole.indexOf(DATA)
  if (at < 0 || !whole.endsWith('}')) return null
  const text = whole.slice(at + DATA.length, -1)
  try {
    const attributes = JSON.parse(`${whole.slice(0, at)}}`) as object
    return { event: { ...attributes, data: JSON.parse(text) as unknown }, text }
  } catch {
    return null
  }
}

/** Keeps numbers as their source text (JSON.parse source text access, ECMAScript 2026). */
const keepDigits = ((_key: string, value: unknown, { source }: { source: string }) =>
  typeof value === 'number'
    ? (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(source)
    : value) as Reviver

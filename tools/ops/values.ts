// Converts the texts of a flag to the value that is sent.
import { readFileSync } from 'node:fs'
import type { MappingWrite } from '@connectivity/contracts/mappings'
import { parseTimestamp } from '@connectivity/contracts/time'
import { InvalidArgumentError } from 'commander'
import type { Flag, FlagKind, FlagValue } from './command.ts'

/** @throws InvalidArgumentError; commander adds the flag and its text */
function refuse(message: string): never {
  throw new InvalidArgumentError(message)
}

const whole = (text: string): number => (/^(0|[1-9][0-9]{0,11})$/.test(text) ? Number(text) : NaN)

/** The content of a JSON file; undefined when it cannot be read. */
const jsonOf = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Seconds by unit. */
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

const kinds: Readonly<Record<FlagKind, (text: string) => FlagValue>> = {
  text: (text) => text,
  integer: (text) => (Number.isNaN(whole(text)) ? refuse('It takes a whole number.') : whole(text)),
  count: (text) => (whole(text) > 0 ? whole(text) : refuse('It takes a whole number from 1.')),
  duration: (text) => {
    const [, count = '', unit = ''] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? []
    return count === '' ? refuse('It takes a duration such as 30m, 2h or 1d.') : Number(count) * SECONDS[unit]!
  },
  time: (text) =>
    parseTimestamp(text) === null ? refuse('It takes a time with its zone, such as 2026-11-20T00:00:00Z.') : text,
  list: (text) => text.split(',').map((item) => item.trim()),
  mapping: (text) => {
    const [, entity_type, service_id, external_id] = /^(room|rate_plan):([^=]+)=(.*)$/s.exec(text) ?? []
    if (!entity_type || !service_id) return refuse('It takes room:ID=EXTERNAL or rate_plan:ID=EXTERNAL.')
    return { entity_type: entity_type as MappingWrite['entity_type'], service_id, external_id: external_id || null }
  },
  'mappings file': (text) => {
    const content = jsonOf(text)
    const list = (content as { mappings?: unknown } | null | undefined)?.mappings ?? content
    return Array.isArray(list) ? list : refuse('It takes a file with a JSON array of mappings.')
  },
  rate: (text) => {
    const [per_minute = NaN, burst = NaN, ...rest] = text.split('/').map(whole)
    const isRate = per_minute > 0 && burst > 0 && rest.length === 0
    return isRate ? { per_minute, burst } : refuse('It takes calls per minute and burst, such as 600/60.')
  },
}

/** Kinds of flag that may be given several times. */
const REPEATABLE: readonly FlagKind[] = ['list', 'mapping']

/**
 * Reader of a flag's text, as commander calls it. Refuses a value that looks like a flag, which commander would accept.
 * @param check refuses a word that is none of the choices
 */
export const readerOf =
  ({ kind = 'text' }: Flag, check?: (word: string) => unknown) =>
  (text: string, before: FlagValue | undefined): FlagValue => {
    if (/^(--|-h$)/.test(text)) refuse('It needs a value, and this looks like a flag.')
    const isRepeatable = REPEATABLE.includes(kind)
    if (before !== undefined && !isRepeatable) refuse('It is given twice.')
    const value = kinds[kind](text)
    for (const word of [value].flat()) check?.(String(word))
    return isRepeatable ? [before ?? []].flat().concat(value) : value
  }

// Converts the text of a flag to the value that is sent.
import { readFileSync } from 'node:fs'
import type { MappingWrite } from '@connectivity/contracts/mappings'
import type { Flag, FlagKind, FlagValue } from './command.ts'
import { suggestion } from './nearest.ts'
import { UsageError } from './usage-error.ts'

/** Refuses the text; `wanted` describes valid values. */
type Complain = (wanted: string) => never

const whole = (text: string): number => (/^(0|[1-9][0-9]{0,11})$/.test(text) ? Number(text) : NaN)

/** The content of a JSON file; undefined when it cannot be read. */
const jsonOf = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Kinds of flag that may be given several times. */
export const isRepeatable = ({ kind }: Flag): boolean => kind === 'list' || kind === 'mapping'

/** Seconds by unit. */
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

const kinds: Readonly<Record<FlagKind, (text: string, complain: Complain) => FlagValue>> = {
  text: (text) => text,
  integer: (text, complain) => (Number.isNaN(whole(text)) ? complain('a whole number') : whole(text)),
  count: (text, complain) => (whole(text) > 0 ? whole(text) : complain('a whole number from 1')),
  duration: (text, complain) => {
    const [, count = '', unit = ''] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? []
    return count === '' ? complain('a duration such as 30m, 2h or 1d') : Number(count) * SECONDS[unit]!
  },
  list: (text) => text.split(',').map((item) => item.trim()),
  mapping: (text, complain) => {
    const [, entity_type, service_id, external_id] = /^(room|rate_plan):([^=]+)=(.*)$/s.exec(text) ?? []
    if (!entity_type || !service_id) return complain('room:ID=EXTERNAL or rate_plan:ID=EXTERNAL')
    return { entity_type: entity_type as MappingWrite['entity_type'], service_id, external_id: external_id || null }
  },
  'mappings file': (text, complain) => {
    const content = jsonOf(text)
    const list = (content as { mappings?: unknown } | null | undefined)?.mappings ?? content
    return Array.isArray(list) ? list : complain('a file with a JSON array of mappings')
  },
  rate: (text, complain) => {
    const [per_minute = NaN, burst = NaN, ...rest] = text.split('/').map(whole)
    const isRate = per_minute > 0 && burst > 0 && rest.length === 0
    return isRate ? { per_minute, burst } : complain('calls per minute and burst, such as 600/60')
  },
}

/** @throws UsageError that names the flag and its valid values */
export function readValue(name: string, { kind = 'text', oneOf }: Flag, text: string): FlagValue {
  const value = kinds[kind](text, (wanted) => {
    throw new UsageError(`--${name} takes ${wanted}, not "${text}".`)
  })
  if (!oneOf) return value
  const stranger = [value].flat().find((item) => !oneOf.includes(String(item)))
  if (stranger === undefined) return value
  throw new UsageError(`--${name} cannot be "${stranger}". ${suggestion(String(stranger), oneOf)}`)
}

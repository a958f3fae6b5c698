// Converts the text of a flag to the value that is sent.
import { readFileSync } from 'node:fs'
import { suggestion } from './nearest.mjs'
import { UsageError } from './usage-error.mjs'

const whole = (text) => (/^(0|[1-9][0-9]{0,11})$/.test(text) ? Number(text) : NaN)

const jsonOf = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Kinds of flag that may be given several times. */
export const isRepeatable = ({ kind }) => ['list', 'mapping'].includes(kind)

const kinds = {
  text: (text) => text,
  integer: (text, complain) => (Number.isNaN(whole(text)) ? complain('a whole number') : whole(text)),
  count: (text, complain) => (whole(text) > 0 ? whole(text) : complain('a whole number from 1')),
  list: (text) => text.split(',').map((item) => item.trim()),
  mapping: (text, complain) => {
    const [, entity_type, service_id, external_id] = /^(room|rate_plan):([^=]+)=(.*)$/s.exec(text) ?? []
    if (!entity_type) complain('room:ID=EXTERNAL or rate_plan:ID=EXTERNAL')
    return { entity_type, service_id, external_id: external_id || null }
  },
  'mappings file': (text, complain) => {
    const content = jsonOf(text)
    const list = content?.mappings ?? content
    return Array.isArray(list) ? list : complain('a file with a JSON array of mappings')
  },
  rate: (text, complain) => {
    const [per_minute, burst, ...rest] = text.split('/').map(whole)
    const isRate = per_minute > 0 && burst > 0 && rest.length === 0
    return isRate ? { per_minute, burst } : complain('calls per minute and burst, such as 600/60')
  },
}

/** @throws UsageError naming the flag and what it takes */
export function readValue(name, { kind = 'text', oneOf }, text) {
  const value = kinds[kind](text, (wanted) => {
    throw new UsageError(`--${name} takes ${wanted}, not "${text}".`)
  })
  const stranger = oneOf && [value].flat().find((item) => !oneOf.includes(item))
  if (stranger === undefined) return value
  throw new UsageError(`--${name} cannot be "${stranger}". ${suggestion(stranger, oneOf)}`)
}

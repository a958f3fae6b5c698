import { getMetadataStorage } from 'class-validator'
import type { Schema } from './model.js'

type Shape = new () => object
type Metadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number]

/** Schema keywords of each validator beyond those of the field's type; an unknown validator is an error. */
const sayings: Record<string, (constraints: unknown[]) => Schema> = {
  isInt: () => ({ type: 'integer' }),
  min: ([minimum]) => ({ minimum: minimum as number }),
  max: ([maximum]) => ({ maximum: maximum as number }),
  arrayMinSize: ([minItems]) => ({ minItems: minItems as number }),
  arrayMaxSize: ([maxItems]) => ({ maxItems: maxItems as number }),
  arrayUnique: () => ({ uniqueItems: true }),
  isEmail: () => ({ format: 'email' }),
  sourceId: ([maxLength]) => ({ minLength: 1, maxLength: maxLength as number }),
  text: ([maxLength]) => ({ minLength: 1, maxLength: maxLength as number }),
  maxLength: ([maxLength]) => ({ maxLength: maxLength as number }),
  matches: ([pattern]) => ({ pattern: (pattern as RegExp).source }),
  base64: () => ({ format: 'byte' }),
  calendarDate: () => ({ format: 'date' }),
  timestamp: () => ({ format: 'date-time' }),
}

/** Validators that have no schema keyword or are covered by the type. */
const saidByType = new Set([
  'isArray',
  'isObject',
  'isString',
  'isBoolean',
  'isIn',
  'isOptional',
  'insteadOf',
  'withRatePlan',
  'withoutRatePlan',
  'withoutIds',
  'notBeforeFrom',
])

const TYPE_ONLY = new Set(['nestedValidation', 'conditionalValidation', 'whitelistValidation'])

/**
 * Bounds of the fields of a class that bodies are validated with.
 * @throws Error for a validator without schema keywords
 */
export function boundsOf(shape: Shape): Record<string, Schema> {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false)
  const bounds: Record<string, Schema> = {}
  for (const one of metadata) {
    const saying = sayingOf(one)
    const known = (bounds[one.propertyName] ??= {})
    if (one.each) known.items = { ...known.items, ...saying }
    else Object.assign(known, saying)
  }
  return bounds
}

function sayingOf({ name, type, constraints, target, propertyName }: Metadata): Schema {
  if (TYPE_ONLY.has(type) || saidByType.has(name ?? '')) return {}
  const saying = sayings[name ?? '']
  if (saying) return saying((constraints as unknown[] | undefined) ?? [])
  throw new Error(`no words for ${name ?? type} of ${(target as Shape).name}.${propertyName}`)
}

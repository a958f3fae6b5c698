import * as deadLetters from '@connectivity/contracts/dead-letters'
import type { ServiceError } from '@connectivity/contracts/errors'
import * as operatorsApi from '@connectivity/contracts/operators-api'
import { MAX_BODY_BYTES, operations } from '@connectivity/contracts/partner-api'
import { leastCostOf, MAX_CPU, MAX_HEAP } from '@connectivity/testing/cpu-cost'
import { type Field, fieldsOf, type Shape } from './body-fields.js'
import { readBody } from './body.pipe.js'
import { parseStrictJson } from './strict-json.js'

/** Longest answer to a refused body, characters. */
const MAX_ANSWER = 64 * 1024

const isShape = (value: unknown): value is Shape =>
  typeof value === 'function' && value.prototype !== undefined && fieldsOf(value as Shape).size > 0

const exported: unknown[] = [...Object.values(operatorsApi), ...Object.values(deadLetters)]
const shapes = new Set<Shape>([...operations.flatMap(({ body }) => body ?? []), ...exported.filter(isShape)])

interface List {
  field: Field
  /** JSON of a body with this list. */
  bodyWith: (list: string) => string
}

const isList = ({ rules, nested }: Field): boolean =>
  nested?.isList === true || rules.some(({ name }) => name === 'isArray')

/** Every list of a shape, at any depth. */
function listsOf(shape: Shape, wrap = (fields: string) => `{${fields}}`, fields = fieldsOf(shape)): List[] {
  return [...fields.values()].flatMap((field) => {
    const bodyWith = (value: string) => wrap(`"${field.name}":${value}`)
    const { nested } = field
    const inner = (text: string) => bodyWith(nested?.isList ? `[{${text}}]` : `{${text}}`)
    return [...(isList(field) ? [{ field, bodyWith }] : []), ...(nested ? listsOf(shape, inner, nested.fields) : [])]
  })
}

const times = (count: number, value: string): string => `[${Array(count).fill(value).join(',')}]`
const keys = (count: number): string => Array.from({ length: count }, (_, key) => `"${key.toString(36)}":0`).join(',')

const hostileLists = {
  'a megabyte of {}': times(340_000, '{}'),
  '250,000 strings': times(250_000, '""'),
  'as many {} as are parsed': times(59_000, '{}'),
  'as many strings as are parsed': times(190_000, '"x"'),
  '990 unknown keys, 100 times': times(100, `{${keys(990)}}`),
  '116,000 halves of surrogate pairs': times(116_000, '"\\ud800"'),
  '69,000 surrogate pairs': times(69_000, '"\\ud83d\\ude00"'),
  'lists in lists': '['.repeat(500_000) + ']'.repeat(500_000),
}
const hostileBodies = {
  '120,000 unknown keys': `{${keys(120_000)}}`,
  '1,000 unknown keys': `{${keys(1_000)}}`,
  'objects in objects': '{"a":'.repeat(80_000) + '0' + '}'.repeat(80_000),
  'one unknown key of a megabyte': `{"${'a'.repeat(1_000_000)}":0}`,
}

const refuse = (shape: Shape, bytes: Buffer): unknown => {
  try {
    return readBody(shape, parseStrictJson(bytes))
  } catch (error) {
    return error
  }
}

const cases = [...shapes].flatMap((shape) => [
  ...Object.entries(hostileBodies).map(([what, body]) => ({ name: `${shape.name}: ${what}`, shape, body: () => body })),
  ...listsOf(shape).flatMap(({ field, bodyWith }) =>
    Object.entries(hostileLists).map(([what, list]) => ({
      name: `${shape.name}.${field.name}: ${what}`,
      body: () => bodyWith(list),
      shape,
    })),
  ),
])

describe('a body of 1 MiB', () => {
  it.each(cases)('costs little to refuse, and its answer is short: $name', async ({ shape, body }) => {
    const bytes = Buffer.from(body())
    expect(bytes.length).toBeLessThanOrEqual(MAX_BODY_BYTES)
    const { cpu, heap, outcome } = await leastCostOf(() => refuse(shape, bytes))
    expect(outcome).toMatchObject({ code: 'invalid_request' })
    expect(JSON.stringify((outcome as ServiceError).body('c')).length).toBeLessThan(MAX_ANSWER)
    expect(cpu).toBeLessThan(MAX_CPU)
    expect(heap).toBeLessThan(MAX_HEAP)
  })
})

describe('every list of a body', () => {
  const lists = [...shapes].flatMap((shape) => listsOf(shape).map(({ field }) => ({ shape, field })))

  it.each(lists)('has a maximum length: $shape.name.$field.name', ({ field }) => {
    expect(field.rules.map(({ name }) => name)).toContain('arrayMaxSize')
  })

  it('is found', () => {
    const names = lists.map(({ shape, field }) => `${shape.name}.${field.name}`)
    expect(names).toEqual(expect.arrayContaining(['AriWrite.rates', 'AriWrite.updates', 'OperatorMappings.mappings']))
  })
})

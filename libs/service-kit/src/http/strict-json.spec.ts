import { ServiceError } from '@connectivity/contracts/errors'
import fc from 'fast-check'
import { parseStrictJson, readStrictJson } from './strict-json.js'

const parse = (text: string) => parseStrictJson(Buffer.from(text))
const faultOf = (body: Uint8Array): [string, string] => {
  try {
    parseStrictJson(body)
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    const { code, details } = error as ServiceError
    expect(code).toBe('invalid_request')
    return [details![0]!.code, details![0]!.pointer]
  }
  throw new Error('accepted')
}

/** JSON with texts of control characters or of every script; fast-check needs 0.7 s to prepare `binary`. */
const jsonValue = fc.oneof(
  fc.jsonValue({ maxDepth: 5, stringUnit: 'binary-ascii' }),
  fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }),
)

describe('strict JSON', () => {
  it('returns the same value as JSON.parse', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = JSON.stringify(value)
        const inherited = Object.getOwnPropertyNames(Object.prototype).filter((name) => text.includes(`"${name}":`))
        fc.pre(text.isWellFormed() && inherited.length === 0)
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each([
    ['', 'empty', ''],
    [' ', 'malformed_json', ''],
    ['{', 'malformed_json', ''],
    ['{"a":1,}', 'malformed_json', ''],
    ['{"a":1} x', 'malformed_json', ''],
    ['// c\n{}', 'malformed_json', ''],
    ["{'a':1}", 'malformed_json', ''],
    ['NaN', 'malformed_json', ''],
    ['\uFEFF{}', 'byte_order_mark', ''],
    ['{"a":1,"a":1}', 'duplicate_key', '/a'],
    ['{"a":1,"\\u0061":1}', 'duplicate_key', '/a'],
    ['{"l":[{"x/y":1},{"x/y":1,"x/y":2}]}', 'duplicate_key', '/l/1/x~1y'],
    ['{"a":{"__proto__":{}}}', 'unknown_field', '/a/__proto__'],
    ['{"\\u005f_proto__":1}', 'unknown_field', '/__proto__'],
    ['{"a":1,"constructor":1}', 'unknown_field', '/constructor'],
    ['{"a":[{"toString":1}]}', 'unknown_field', '/a/0/toString'],
    ['{"a":"\\ud800"}', 'lone_surrogate', '/a'],
    ['{"\\udc00":1}', 'lone_surrogate', ''],
    ['{"a":[{"b":1,"\\ud800":1}]}', 'lone_surrogate', '/a/0'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'too_deep', '/0'.repeat(32)],
  ])('refuses %j: %s at %j', (text, code, pointer) => expect(faultOf(Buffer.from(text))).toEqual([code, pointer]))

  it.each([
    ['{"client_secret":SECRET}', 'It is not JSON; check quotation marks, commas and brackets.'],
    ['{"a":1,\n"SECRET"}', 'It is not JSON (line 2 column 9); check quotation marks, commas and brackets.'],
    ['SECRET', 'It is not JSON; check quotation marks, commas and brackets.'],
  ])('never quotes the body: %j', (text, message) => {
    const { fault } = readStrictJson(Buffer.from(text))
    expect(JSON.stringify([fault, fault?.message, fault?.details])).not.toContain('SECRET')
    expect(fault?.details).toMatchObject([{ message }])
  })

  it('refuses a text exactly if it is not well-formed', () => {
    const pieces = ['\\ud83d', '\\ude00', '\\uDBFF', '\\uDC00', '\\u0041', '\\\\', '\\n', '\\"', 'ud83d', 'a', '😀']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (chosen) => {
        const text = `["${chosen.join('')}"]`
        const value = JSON.parse(text) as [string]
        if (value[0].isWellFormed()) expect(parse(text)).toEqual(value)
        else expect(faultOf(Buffer.from(text))).toEqual(['lone_surrogate', '/0'])
      }),
      { numRuns: 2_000 },
    )
  })

  it('accepts 32 levels, the same key in different objects, and __proto__ as a value', () => {
    const text = `${'['.repeat(32)}${']'.repeat(32)}`
    expect(parse(text)).toEqual(JSON.parse(text))
    expect(parse('[{"a":1},{"a":"__proto__"}]')).toEqual([{ a: 1 }, { a: '__proto__' }])
  })

  it('refuses bytes that are not UTF-8', () =>
    expect(faultOf(Buffer.from([0x22, 0xff, 0x22]))).toEqual(['invalid_utf8', '']))

  it('refuses a megabyte of brackets for its depth, whether they close or not', () => {
    expect(faultOf(Buffer.alloc(1024 * 1024, '['))[0]).toBe('too_deep')
    const half = 400_000
    expect(faultOf(Buffer.from('['.repeat(half) + ']'.repeat(half)))[0]).toBe('too_deep')
  })

  it.each([
    ['200,000 keys and values', '0', 199_997],
    ['60,000 objects and lists', '{}', 59_998],
  ])('refuses more than %s before it parses them', (_what, value, most) => {
    // The body's object, its key and the list count too.
    const list = (count: number, end = '') => Buffer.from(`{"l":[${Array(count).fill(value).join(',')}]}${end}`)
    expect((parseStrictJson(list(most)) as { l: unknown[] }).l).toHaveLength(most)
    expect(faultOf(list(most + 1))).toEqual(['too_many_values', `/l/${most}`])
    expect(faultOf(list(most + 1, ' no JSON'))).toEqual(['too_many_values', `/l/${most}`])
  })

  it('refuses more than 1,000 different keys, in one object or in all together, in any spelling', () => {
    const keys = (count: number, key = 'k') =>
      Array.from({ length: count }, (_, index) => `"${key}${index}":0`).join(',')
    expect(parse(`{${keys(1_000)}}`)).toHaveProperty('k999', 0)
    expect(parse(`[{${keys(1_000)}},{${keys(1_000)}}]`)).toHaveLength(2)
    expect(faultOf(Buffer.from(`{${keys(1_001)}}`))).toEqual(['too_many_keys', ''])
    expect(faultOf(Buffer.from(`{"a":[{${keys(999)}},{"b":1}]}`))).toEqual(['too_many_keys', '/a/1'])
    expect(faultOf(Buffer.from(`[{${keys(600)}},{${keys(600, '\\u006b')}}]`))).toEqual(['too_many_keys', '/1'])
  })

  it('names the first fault of a body that also holds too much', () => {
    const values = Array(200_000).fill('0').join(',')
    expect(faultOf(Buffer.from(`{"a":1,"a":2,"l":[${values}]}`))).toEqual(['duplicate_key', '/a'])
  })

  it('finds a key twice in one object, not in another one of the same depth', () => {
    expect(parse('[{"a":{"a":1},"b":{"a":1}},{"a":1}]')).toHaveLength(2)
    expect(faultOf(Buffer.from('{"a":{"a":1},"a":1}'))).toEqual(['duplicate_key', '/a'])
  })

  it('cuts a long key in its pointer', () => {
    const [code, pointer] = faultOf(Buffer.from(`{"${'a'.repeat(1_000)}":1,"${'a'.repeat(1_000)}":1}`))
    expect([code, pointer]).toEqual(['duplicate_key', `/${'a'.repeat(128)}…`])
  })
})

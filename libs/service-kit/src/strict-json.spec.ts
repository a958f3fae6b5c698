import { ServiceError } from '@connectivity/contracts/errors'
import fc from 'fast-check'
import { parseStrictJson } from './strict-json.js'

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

/** JSON whose texts hold control characters or characters of every script; fast-check needs 0.7 s to prepare `binary`. */
const jsonValue = fc.oneof(
  fc.jsonValue({ maxDepth: 5, stringUnit: 'binary-ascii' }),
  fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }),
)

describe('strict JSON', () => {
  it('reads what JSON.parse reads', () => {
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
    ['{"\\udc00":1}', 'lone_surrogate', '/'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'too_deep', '/0'.repeat(32)],
  ])('refuses %j: %s at %j', (text, code, pointer) => expect(faultOf(Buffer.from(text))).toEqual([code, pointer]))

  it('takes 32 levels, the same key in different objects, and __proto__ as a value', () => {
    const text = `${'['.repeat(32)}${']'.repeat(32)}`
    expect(parse(text)).toEqual(JSON.parse(text))
    expect(parse('[{"a":1},{"a":"__proto__"}]')).toEqual([{ a: 1 }, { a: '__proto__' }])
  })

  it('refuses bytes that are not UTF-8', () =>
    expect(faultOf(Buffer.from([0x22, 0xff, 0x22]))).toEqual(['invalid_utf8', '']))

  it('is not brought down by a megabyte of brackets', () => {
    expect(faultOf(Buffer.alloc(1024 * 1024, '['))[0]).toBe('malformed_json')
    const half = 400_000
    expect(faultOf(Buffer.from('['.repeat(half) + ']'.repeat(half)))[0]).toBe('too_deep')
  })
})

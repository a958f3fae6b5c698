import fc from 'fast-check'
import { AddressRules, readRanges } from '../address-rules.js'
import { callbackTarget, type TargetRules } from './callback-target.js'

const rules = (allow: string[] = [], ports: number[] = []): TargetRules => ({
  addresses: new AddressRules(readRanges(allow)),
  ports: new Set(ports),
  testMode: allow.length > 0,
})
const strict = rules()
const local = rules(['127.0.0.0/8', '[::1]'])

describe("a callback's URL", () => {
  it('is split into its parts', () => {
    expect(callbackTarget('https://Hooks.Example.com./a/b?c=d&e', strict)).toEqual({
      secure: true,
      host: 'hooks.example.com',
      port: 443,
      origin: 'https://hooks.example.com.',
      path: '/a/b?c=d&e',
      openedOnly: false,
    })
    expect(callbackTarget('https://bücher.example', strict)).toMatchObject({ host: 'xn--bcher-kva.example', path: '/' })
  })

  it.each([
    ['http://example.com/', 'https_required'],
    ['ftp://example.com/', 'https_required'],
    ['https:example.com', 'https_required'],
    ['https:///example.com', 'https_required'],
    ['javascript:alert(1)', 'https_required'],
    ['example.com/hook', 'malformed'],
    ['https://', 'malformed'],
    ['', 'malformed'],
    ['https://exa mple.com/', 'malformed'],
    ['https://example.com/a\nb', 'malformed'],
    [' https://example.com/', 'malformed'],
    ['https:\\\\example.com\\', 'malformed'],
    ['https://example.com\t.evil.com/', 'malformed'],
    ['https://example.com:99999/', 'malformed'],
    ['https://user@example.com/', 'userinfo'],
    ['https://user:secret@example.com/', 'userinfo'],
    ['https://@example.com/', 'userinfo'],
    ['https://example.com#', 'fragment'],
    ['https://example.com/#a', 'fragment'],
    ['https://example.com:8443/', 'port'],
    ['https://example.com:80/', 'port'],
    ['https://example.com:0/', 'port'],
    ['https://8.8.8.8/', 'ip_literal'],
    ['https://[2606:4700::1111]/', 'ip_literal'],
    [`https://example.com/${'a'.repeat(2_029)}`, 'too_long'],
  ])('is not %j: %s', (text, fault) => expect(callbackTarget(text, strict)).toBe(fault))

  it('may have 2,048 characters, an @ after the host, and a port that the operator listed', () => {
    expect(callbackTarget(`https://example.com/${'a'.repeat(2_028)}`, strict)).toMatchObject({ openedOnly: false })
    expect(callbackTarget('https://example.com/a@b?c@d', strict)).toMatchObject({ path: '/a@b?c@d' })
    expect(callbackTarget('https://example.com:8443/', rules([], [8443]))).toMatchObject({ openedOnly: false })
    expect(callbackTarget('http://example.com:8443/', rules([], [8443]))).toBe('https_required')
  })

  it('may use http, any port and a literal address in test mode, for opened addresses only', () => {
    for (const url of ['http://127.0.0.1:8080/', 'https://[::1]:9/', 'http://localhost', 'http://example.com/'])
      expect(callbackTarget(url, local)).toMatchObject({ openedOnly: true })
    expect(callbackTarget('https://example.com/', local)).toMatchObject({ openedOnly: false })
    for (const host of ['0.0.0.0', '10.0.0.1', '8.8.8.8', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::]', '[::2]'])
      expect(callbackTarget(`http://${host}:8080/`, local)).toBe('ip_literal')
  })
})

const fullWidth = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
const circled = (text: string) => text.replace(/[1-9]/g, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1))
const percent = (text: string) => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')

/** All known ways to spell an IPv4 address. */
function spellings(octets: readonly number[]): string[] {
  const [a, b, c, d] = octets as [number, number, number, number]
  const value = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (one: number) => `0x${one.toString(16)}`
  const octal = (one: number) => `0${one.toString(8)}`
  const dotted = octets.join('.')
  const plain = [
    ...[dotted, `${dotted}.`, String(value), hex(value), octal(value), hex(value).replace('x', 'X')],
    ...[octets.map(hex).join('.'), octets.map(octal).join('.'), `${a}.${b}.${c * 256 + d}`],
    ...[
      `${a}.${(b * 256 + c) * 256 + d}`,
      `${hex(a)}.${octal(b)}.${c}.${d}`,
      octets.map((one) => `00${one.toString(8)}`).join('.'),
    ],
    ...[fullWidth(dotted), circled(dotted), percent(dotted), dotted.replaceAll('.', '。')],
  ]
  const [high, low] = [a * 256 + b, c * 256 + d].map((part) => part.toString(16)) as [string, string]
  const six = [
    ...[
      `::ffff:${dotted}`,
      `::ffff:${high}:${low}`,
      `0:0:0:0:0:FFFF:${high}:${low}`,
      `::${dotted}`,
      `64:ff9b::${dotted}`,
    ],
    ...[`2002:${high}:${low}::`, `2001:0:${high}:${low}::`, `fe80::${high}:${low}`, `::ffff:0:${dotted}`],
  ]
  return [...plain, ...six.map((one) => `[${one}]`), `[fe80::${high}:${low}%25eth0]`, `[fe80::1%eth0]`]
}

describe('an address, however it is spelled', () => {
  const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))

  it("is never a callback's host", () => {
    fc.assert(
      fc.property(
        octets,
        fc.constantFrom('https', 'http'),
        fc.constantFrom('', ':443', ':80', ':6379'),
        (ip, scheme, port) => {
          for (const host of spellings(ip)) {
            expect([host, callbackTarget(`${scheme}://${host}${port}/`, strict)]).toEqual([host, expect.any(String)])
          }
        },
      ),
      {
        examples: [
          [[127, 0, 0, 1], 'https', ''],
          [[169, 254, 169, 254], 'http', ':80'],
          [[0, 0, 0, 0], 'https', ''],
        ],
      },
    )
  })

  it('is one in test mode only where it was opened', () => {
    const elsewhere = octets.filter(([a]) => a !== 127)
    fc.assert(
      fc.property(elsewhere, (ip) => {
        for (const host of spellings(ip))
          expect(callbackTarget(`http://${host}:80/`, local)).toEqual(expect.any(String))
      }),
    )
    for (const host of spellings([127, 1, 2, 3]).filter((one) => !one.startsWith('[')))
      expect([host, callbackTarget(`http://${host}/`, local)]).toEqual([
        host,
        expect.objectContaining({ host: '127.1.2.3' }),
      ])
  })
})

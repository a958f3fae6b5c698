import fc from 'fast-check'
import { AddressRules, readRanges } from './address-rules.js'

const publicOnly = new AddressRules([])
const mayGo = (address: string) => publicOnly.vet([address], false).length === 1

// The IANA special-purpose registries, repeated here so that the library is not its own judge.
const special4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '168.63.129.16/32', '224.0.0.0/4', '240.0.0.0/4'],
]
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

const value4 = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const text4 = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
const isSpecial4 = (value: number) =>
  special4.some((range) => {
    const [start, bits] = range.split('/') as [string, string]
    const size = 2 ** (32 - Number(bits))
    return value >= value4(start) && value < value4(start) + size
  })

const value6 = (text: string) => {
  const [head = '', tail = ''] = text.split('::')
  const [left, right] = [head, tail].map((part) => (part === '' ? [] : part.split(':')))
  const middle = Array.from({ length: 8 - left!.length - right!.length }, () => '0')
  return [...left!, ...middle, ...right!].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n)
}
const text6 = (value: bigint) =>
  Array.from({ length: 8 }, (_, part) => ((value >> BigInt(112 - part * 16)) & 0xffffn).toString(16)).join(':')
const within6 = (value: bigint, range: string) => {
  const [start, bits] = range.split('/') as [string, string]
  return value >> BigInt(128 - Number(bits)) === value6(start) >> BigInt(128 - Number(bits))
}

const address4 = fc.oneof(
  fc.nat({ max: 0xffffffff }),
  fc.tuple(fc.constantFrom(...special4), fc.nat({ max: 0xffffffff })).map(([range, host]) => {
    const [start, bits] = range.split('/') as [string, string]
    return value4(start) + (host % 2 ** (32 - Number(bits)))
  }),
)
const value128 = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n })
const address6 = fc.oneof(
  value128,
  value128.map((value) => (1n << 125n) | (value >> 3n)),
  fc.tuple(fc.constantFrom(...special6), value128).map(([range, host]) => {
    const [start, bits] = range.split('/') as [string, string]
    return value6(start) | (host >> BigInt(bits))
  }),
)

describe('an allowed callback address', () => {
  it("is not the address of Azure's platform, although its number is public", () => {
    expect(mayGo('168.63.129.16')).toBe(false)
    expect(mayGo('168.63.129.17')).toBe(true)
  })

  it('is every public IPv4 address and no other', () => {
    fc.assert(
      fc.property(address4, (value) => {
        expect(mayGo(text4(value))).toBe(!isSpecial4(value))
      }),
      { numRuns: 3_000 },
    )
  })

  it('is every allocated IPv6 address without a special meaning', () => {
    fc.assert(
      fc.property(address6, (value) => {
        const isGiven = within6(value, '2000::/3') && !special6.some((range) => within6(value, range))
        expect(mayGo(text6(value))).toBe(isGiven)
      }),
      { numRuns: 3_000 },
    )
  })

  it('is not an IPv4 address in IPv6 form: mapped, compatible, translated, NAT64, 6to4, Teredo', () => {
    fc.assert(
      fc.property(address4, (value) => {
        const [high, low] = [(value >>> 16).toString(16), (value & 0xffff).toString(16)]
        const forms = [
          ...[`::ffff:${text4(value)}`, `::ffff:${high}:${low}`, `::${high}:${low}`, `::ffff:0:${high}:${low}`],
          ...[`64:ff9b::${high}:${low}`, `64:ff9b:1::${high}:${low}`, `2002:${high}:${low}::1`],
          `2001:0:${high}:${low}::1`,
        ]
        expect(forms.filter(mayGo)).toEqual([])
      }),
    )
  })

  it.each(['fe80::1%eth0', '2606:4700::1111%eth0', '8.8.8', '0x8.8.8.8', '134744072', '', 'example.com', '8.8.8.8.'])(
    'is not %j, which no resolver returns',
    (text) => expect(mayGo(text)).toBe(false),
  )

  it('is none of the resolved ones when public addresses are mixed with others', () => {
    expect(publicOnly.vet(['8.8.8.8', '2606:4700::1111'], false)).toEqual(['8.8.8.8', '2606:4700::1111'])
    fc.assert(
      fc.property(address4, fc.nat({ max: 2 }), (value, place) => {
        const answers = ['8.8.8.8', '1.1.1.1', '2606:4700::1111'].toSpliced(place, 0, text4(value))
        expect(publicOnly.vet(answers, false).length).toBe(isSpecial4(value) ? 0 : 4)
      }),
    )
    expect(publicOnly.vet([], false)).toEqual([])
  })
})

describe('addresses opened for tests', () => {
  const local = new AddressRules(readRanges(['127.0.0.0/8', '[::1]']))

  it('are added to the public ones', () => {
    for (const address of ['127.0.0.1', '127.9.9.9', '::1']) expect(local.vet([address], false)).toEqual([address])
    expect(local.vet(['8.8.8.8', '127.0.0.1'], false)).toHaveLength(2)
    expect(local.vet(['8.8.8.8'], true)).toEqual([])
    for (const address of ['10.0.0.1', '::2', '169.254.169.254']) expect(local.vet([address], false)).toEqual([])
  })

  it('never include 0.0.0.0 or an IPv4 address in IPv6 form, however wide the ranges are', () => {
    const everything = new AddressRules(readRanges(['0.0.0.0/0', '::/0', '0.0.0.0', '[::ffff:127.0.0.1]']))
    for (const address of ['0.0.0.0', '0.1.2.3', '::', '::ffff:127.0.0.1', '::ffff:7f00:1'])
      expect(everything.vet([address], true)).toEqual([])
    expect(everything.vet(['10.0.0.1'], true)).toEqual(['10.0.0.1'])
  })

  it('are written as addresses and ranges, IPv6 with or without brackets', () => {
    for (const entry of ['[fd00::]/8', '[fd00::/8]', 'fd00::/8']) {
      const rules = new AddressRules(readRanges([entry]))
      expect(rules.vet(['fd12::1'], true)).toEqual(['fd12::1'])
      expect(rules.vet(['fe80::1'], true)).toEqual([])
    }
    expect(new AddressRules(readRanges(['10.1.2.3'])).vet(['10.1.2.4'], true)).toEqual([])
    for (const entry of ['localhost', '127.1', '127.0.0.0/33', '[::1', '::1/129', '127.0.0.1/', '127.0.0.0/8/8'])
      expect(() => readRanges([entry])).toThrow('127.0.0.0/8,[::1]')
  })
})

import { countedAddress, proxyRanges } from './client-address.js'

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', null],
    ['proxy.internal', null],
    ['192.0.2.1:443', null],
  ])('%s counts as %s', (text, counted) => {
    expect(countedAddress(text)).toBe(counted)
  })
})

describe('trusted proxies', () => {
  it('are addresses and ranges', () => {
    const ranges = ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']
    expect(proxyRanges(ranges)).toEqual(ranges)
  })

  it.each(['10.0.0.0/99', 'proxy.internal', 'true', '1.2.3.4/'])('are refused as %s', (entry) => {
    expect(() => proxyRanges([entry])).toThrow('CIDR')
  })
})

import {
  BodyBudgets,
  BYTES_OF_PARTNERS,
  BYTES_OF_UNKNOWN_ADDRESSES,
  BYTES_PER_ADDRESS,
  BYTES_PER_CREDENTIAL,
  BYTES_PER_UNKNOWN_ADDRESS,
} from './body-budgets.service.js'
import { KnownAddresses } from './known-addresses.service.js'

const MIB = 1024 * 1024

describe('budgets for bodies', () => {
  let known: KnownAddresses
  let budgets: BodyBudgets
  beforeEach(() => {
    known = new KnownAddresses()
    budgets = new BodyBudgets(known)
  })

  /** Opens bodies of 1 MiB until one is refused and returns their number. */
  const fill = (sender: (index: number) => [address: string, credential: string], mostKept = MIB): number => {
    for (let index = 0; ; index++) {
      const [address, credential] = sender(index)
      if (!budgets.open({ address, credential, mostKept }).take(MIB)) return index
    }
  }
  const knownAddress = (name: string) => {
    known.note(name)
    return name
  }

  it('limit one credential', () => {
    expect(fill((index) => [knownAddress(`a${index}`), 'one'])).toBe(BYTES_PER_CREDENTIAL / MIB)
  })

  it('limit one address', () => {
    expect(fill((index) => [knownAddress('a'), `key${index}`])).toBe(BYTES_PER_ADDRESS / MIB)
  })

  it('limit one unknown address', () => {
    expect(fill((index) => ['a', `key${index}`])).toBe(BYTES_PER_UNKNOWN_ADDRESS / MIB)
  })

  it('limit all partners together', () => {
    expect(fill((index) => [knownAddress(`a${index}`), `key${index}`])).toBe(BYTES_OF_PARTNERS / MIB)
  })

  it('limit all strangers together and spare partners, even those whose key id a stranger knows', () => {
    expect(fill((index) => [`a${index}`, 'key'])).toBe(BYTES_OF_UNKNOWN_ADDRESSES / MIB)
    expect(fill(() => [knownAddress('partner'), 'key'])).toBe(BYTES_PER_CREDENTIAL / MIB)
  })

  it('refuse an invented key id when they refuse a real one, and use no share for it', () => {
    expect(fill(() => ['a', 'invented'], MIB - 1)).toBe(BYTES_PER_UNKNOWN_ADDRESS / MIB)
    expect(budgets.held).toBe(0)
    fill((index) => [`b${index}`, `key${index}`])
    expect(fill(() => ['c', 'invented'], MIB - 1)).toBe(0)
  })

  it('give the share back when a body becomes too long to be kept', () => {
    const lease = budgets.open({ address: 'a', credential: 'invented', mostKept: MIB })
    expect([lease.take(MIB), budgets.held]).toEqual([true, MIB])
    expect([lease.take(1), budgets.held]).toEqual([true, 0])
    lease.end()
    expect(budgets.held).toBe(0)
  })

  it('get all bytes back exactly once', () => {
    const lease = budgets.open({ address: 'a', credential: 'key', mostKept: 2 * MIB })
    expect([lease.take(MIB), lease.take(MIB), lease.take(1)]).toEqual([true, true, false])
    expect(budgets.held).toBe(2 * MIB)
    lease.end()
    lease.end()
    expect(budgets.held).toBe(0)
    expect(fill(() => ['a', 'key'])).toBe(2)
  })
})

import {
  BodyBudgets,
  BYTES_OF_PARTNERS,
  BYTES_OF_STRANGERS,
  BYTES_PER_ADDRESS,
  BYTES_PER_CREDENTIAL,
  BYTES_PER_STRANGE_ADDRESS,
} from './body-budgets.js'
import { KnownAddresses } from './known-addresses.js'

const MIB = 1024 * 1024

describe('budgets of bodies', () => {
  let known: KnownAddresses
  let budgets: BodyBudgets
  beforeEach(() => {
    known = new KnownAddresses()
    budgets = new BodyBudgets(known)
  })

  /** Opens bodies of 1 MiB until one is refused. @returns how many there are */
  const fill = (sender: (index: number) => [address: string, credential: string], isKept = true): number => {
    for (let index = 0; ; index++) {
      const [address, credential] = sender(index)
      if (!budgets.open({ address, credential, isKept }).take(MIB)) return index
    }
  }
  const knownAddress = (name: string) => {
    known.note(name)
    return name
  }

  it('hold for one credential', () => {
    expect(fill((index) => [knownAddress(`a${index}`), 'one'])).toBe(BYTES_PER_CREDENTIAL / MIB)
  })

  it('hold for one address', () => {
    expect(fill((index) => [knownAddress('a'), `key${index}`])).toBe(BYTES_PER_ADDRESS / MIB)
  })

  it('hold for one address of strangers', () => {
    expect(fill((index) => ['a', `key${index}`])).toBe(BYTES_PER_STRANGE_ADDRESS / MIB)
  })

  it('hold for all partners', () => {
    expect(fill((index) => [knownAddress(`a${index}`), `key${index}`])).toBe(BYTES_OF_PARTNERS / MIB)
  })

  it('hold for all strangers, who leave partners their share, even of a credential whose id they know', () => {
    expect(fill((index) => [`a${index}`, 'key'])).toBe(BYTES_OF_STRANGERS / MIB)
    expect(fill(() => [knownAddress('partner'), 'key'])).toBe(BYTES_PER_CREDENTIAL / MIB)
  })

  it('refuse an invented key id when they refuse a real one, and spend no share on it', () => {
    expect(fill(() => ['a', 'invented'], false)).toBe(BYTES_PER_STRANGE_ADDRESS / MIB)
    expect(budgets.held).toBe(0)
    fill((index) => [`b${index}`, `key${index}`])
    expect(fill(() => ['c', 'invented'], false)).toBe(0)
  })

  it('get everything back once', () => {
    const lease = budgets.open({ address: 'a', credential: 'key', isKept: true })
    expect([lease.take(MIB), lease.take(MIB), lease.take(1)]).toEqual([true, true, false])
    expect(budgets.held).toBe(2 * MIB)
    lease.end()
    lease.end()
    expect(budgets.held).toBe(0)
    expect(fill(() => ['a', 'key'])).toBe(2)
  })
})

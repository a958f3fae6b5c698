import { decimalsOf } from './currencies.js'

describe('a currency', () => {
  it.each([
    ['EUR', 2],
    ['JPY', 0],
    ['KWD', 3],
    ['CLF', 4],
    ['XCG', 2],
    ['ANG', 2],
    ['eur', undefined],
    ['QQQ', undefined],
    ['', undefined],
  ])('%j has %s decimals', (currency, decimals) => expect(decimalsOf(currency)).toBe(decimals))
})

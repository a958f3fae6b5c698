import fc from 'fast-check'
import { readAmount } from './amount.js'

describe('amounts', () => {
  it.each([
    ['110', 2, '110.00'],
    ['110.5', 2, '110.50'],
    ['0', 0, '0'],
    ['0.1', 3, '0.100'],
    ['999999999999.99', 2, '999999999999.99'],
  ])('%s with %i decimals is %s', (text, decimals, amount) => expect(readAmount(text, decimals)).toEqual({ amount }))

  it('are equal as texts exactly if they are equal as amounts', () => {
    const minor = fc.bigInt({ min: 0n, max: 10n ** 14n - 1n })
    const written = (value: bigint, fraction: string) => `${value / 100n}${fraction}`
    fc.assert(
      fc.property(minor, fc.boolean(), (value, short) => {
        const cents = String(value % 100n).padStart(2, '0')
        const fraction = short && cents.endsWith('0') ? `.${cents[0]}` : `.${cents}`
        expect(readAmount(written(value, fraction), 2)).toEqual({ amount: written(value, `.${cents}`) })
      }),
    )
  })
})

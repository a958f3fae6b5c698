import currencyCodes from 'currency-codes'

/**
 * Decimals of currencies that ISO 4217 has named since the list of `currency-codes` of 25 June 2024: the Arab
 * accounting dinar (XAD) and the Caribbean guilder (XCG). Withdrawn currencies stay known, for bookings made in them.
 */
const newerCurrencies = { XAD: 2, XCG: 2 }

const decimals = new Map([
  ...currencyCodes.data.map(({ code, digits }): [string, number] => [code, digits]),
  ...Object.entries(newerCurrencies),
])

/** Decimals of the currency's smallest unit by ISO 4217; undefined for an unknown code. */
export const decimalsOf = (currency: string): number | undefined => decimals.get(currency)

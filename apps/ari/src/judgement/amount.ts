/** Most digits accepted before the decimal point. */
const MAX_WHOLE_DIGITS = 12

/** Fault codes of amounts. */
export type AmountFault = 'amount_range' | 'amount_precision'

/**
 * Reads an amount.
 * @param text a decimal number without exponent; the only sign allowed is `-`
 * @param decimals of its currency
 * @returns every fault; or the amount with exactly the decimals of the currency, so that equal amounts are equal texts
 */
export function readAmount(text: string, decimals: number): { amount: string } | { faults: AmountFault[] } {
  const [whole = '', fraction = ''] = text.split('.')
  const faults: AmountFault[] = []
  if (text.startsWith('-') || whole.length > MAX_WHOLE_DIGITS) faults.push('amount_range')
  if (fraction.length > decimals) faults.push('amount_precision')
  if (faults.length > 0) return { faults }
  return { amount: decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}` }
}

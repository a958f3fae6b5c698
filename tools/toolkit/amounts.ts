/** An amount as Kubernetes writes it: `500m`, `2`, `64Mi`. */
export type Amount = string | number

const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  '': 1,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}

/**
 * Cores or bytes of an amount.
 * @throws Error for a unit that is not in use here
 */
export function amountOf(amount: Amount): number {
  const [, value, unit] = /^(\d+(?:\.\d+)?)(\w*)$/.exec(String(amount)) ?? []
  const factor = unit === undefined ? undefined : UNITS[unit]
  if (factor === undefined) throw new Error(`not an amount: ${amount}`)
  return Number(value) * factor
}

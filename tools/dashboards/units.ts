// Values in the units that Grafana's panels name.

/** Steps of a unit: the least value of each, its divisor and its name. */
type Scale = readonly (readonly [from: number, divisor: number, name: string])[]

const SECONDS: Scale = [
  [60, 60, ' min'],
  [1, 1, ' s'],
  [1e-3, 1e-3, ' ms'],
  [0, 1e-6, ' µs'],
]
const BYTES: Scale = [
  [2 ** 30, 2 ** 30, ' GiB'],
  [2 ** 20, 2 ** 20, ' MiB'],
  [0, 2 ** 10, ' KiB'],
]
const plain = (name: string): Scale => [
  [1e6, 1e6, ` M${name}`],
  [1e3, 1e3, ` K${name}`],
  [0, 1, name && ` ${name}`],
]

const scales: Readonly<Record<string, Scale>> = {
  s: SECONDS,
  bytes: BYTES,
  percentunit: [[0, 0.01, ' %']],
  reqps: plain('req/s'),
  cps: plain('c/s'),
  short: plain(''),
}

/**
 * A value in a unit: `12.5 ms`.
 * @throws Error for a unit that no panel uses yet
 */
export function inUnit(value: number, unit: string): string {
  const scale = scales[unit]
  if (scale === undefined) throw new Error(`no scale for the unit ${unit}`)
  const [, divisor, name] = scale.find(([from]) => Math.abs(value) >= from)!
  return value === 0 ? '0' : `${Number((value / divisor).toPrecision(3))}${name}`
}

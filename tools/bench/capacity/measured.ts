// Results of the benchmarks, from docs/benchmarks/*.json. Every cost of the model comes from there.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../docs/benchmarks')

interface Row {
  name: string
  cpu?: Record<string, number>
  also?: Record<string, number | string>
}
interface Benchmark {
  surroundings: { machine: string }
  tables: { title: string; unit?: string; rows: Row[] }[]
  figures: { name: string; value: number }[]
}

/** CPU of each process for one unit of work, µs, and further figures. */
export interface Cost {
  /** Title of the table. */
  title: string
  cpu: Readonly<Record<string, number>>
  also: Readonly<Record<string, number>>
}

const PER_UNIT: Readonly<Record<string, number>> = { µs: 1, ms: 1_000 }

const read = (file: string): Benchmark => JSON.parse(readFileSync(join(FOLDER, `${file}.json`), 'utf8')) as Benchmark

/**
 * A row of a table, by the beginning of the table's title and the row's name, or its first row.
 * @throws Error when the benchmark has no such row
 */
export function measured(file: string, title: string, name?: string): Cost {
  const table = read(file).tables.find((one) => one.title.startsWith(title))
  const row = table?.rows.find((one) => name === undefined || one.name === name)
  if (table === undefined || row === undefined)
    throw new Error(`docs/benchmarks/${file}.json has no row ${title}, ${name}`)
  const factor = PER_UNIT[(table.unit ?? '').split(' ')[0]!] ?? 1
  const cpu = Object.entries(row.cpu ?? {}).map(([process, used]) => [process, used * factor] as const)
  const also = Object.entries(row.also ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === 'number')
  return { title: table.title, cpu: Object.fromEntries(cpu), also: Object.fromEntries(also) }
}

/**
 * A figure of a benchmark, by its name.
 * @throws Error when the benchmark has no such figure
 */
export function figure(file: string, name: string): number {
  const found = read(file).figures.find((one) => one.name === name)
  if (found === undefined) throw new Error(`docs/benchmarks/${file}.json has no figure ${name}`)
  return found.value
}

/**
 * A number in a title or name of a benchmark, the first group of a pattern.
 * @throws Error when the text has none
 */
export function countIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`a benchmark has no ${pattern} in ${text}`)
  return Number(found)
}

/** Number of cores of the machine that measured. */
export const coresOf = (file: string): number => Number(/^\d+/.exec(read(file).surroundings.machine)![0])

/** CPU of all processes, µs. */
export const sumOf = ({ cpu }: Cost): number => Object.values(cpu).reduce((sum, used) => sum + used, 0)

// Results of a benchmark: printed as Markdown as soon as they are known, and kept for the written report.
import type { CpuTimes } from '@connectivity/toolkit/cpu'

/** One result, with its aim if there is one. */
export interface Figure {
  name: string
  value: number
  unit?: string
  atLeast?: number
  atMost?: number
}

/** Figures of one candidate in a table. */
export interface Row {
  name: string
  /** CPU time of each process per unit of work. */
  cpu?: CpuTimes
  /** Further columns. */
  also?: Record<string, number | string>
}

/** Rows of the same columns. */
export interface Table {
  title: string
  /** Unit of CPU times. */
  unit?: string
  rows: Row[]
}

/** Whether a figure reached its aim; null without one. */
const isMet = ({ value, atLeast, atMost }: Figure): boolean | null => {
  if (atLeast !== undefined) return value >= atLeast
  return atMost === undefined ? null : value <= atMost
}

const numberText = (value: number | string | undefined): string | undefined =>
  typeof value === 'number' ? Number(value.toPrecision(3)).toLocaleString('en') : value

/** One line: the figure, its aim, and whether it was reached. */
export function figureText(figure: Figure): string {
  const { name, value, unit = '', atLeast, atMost } = figure
  const line = `${name}: **${[numberText(value), unit].join(' ').trim()}**`
  if (isMet(figure) === null) return line
  const aim = atLeast === undefined ? `≤ ${numberText(atMost)}` : `≥ ${numberText(atLeast)}`
  return `${line} (aim ${[aim, unit].join(' ').trim()}: ${isMet(figure) ? 'reached' : 'missed'})`
}

const cells = (values: readonly (string | undefined)[]): string => `| ${values.join(' | ')} |\n`

/** A table as Markdown; rows of costs show the use of each process. */
export function tableText({ title, unit, rows }: Table): string {
  const hasCosts = rows.some(({ cpu }) => cpu)
  const others = Object.keys(rows[0]?.also ?? {})
  const head = ['', ...(hasCosts ? [`CPU, ${unit}`, 'sum'] : []), ...others]
  const body = rows.map(({ name, cpu, also = {} }) => {
    const parts = Object.entries(cpu ?? {}).map(([process, used]) => `${process} ${numberText(used)}`)
    const costs = hasCosts ? [parts.join(', '), numberText(sumOf(cpu))] : []
    return cells([name, ...costs, ...others.map((column) => numberText(also[column]))])
  })
  return `${title}\n\n${cells(head)}${cells(head.map(() => '---'))}${body.join('')}`
}

/** CPU time of all processes together. */
export const sumOf = (cpu: CpuTimes | undefined): number =>
  Object.values(cpu ?? {}).reduce((sum, used) => sum + used, 0)

/** Collects the tables and figures of one benchmark. */
export class Report {
  readonly tables: Table[] = []
  readonly figures: Figure[] = []
  readonly #print: (text: string) => void

  constructor(print: (text: string) => void = (text) => process.stdout.write(text)) {
    this.#print = print
  }

  table(table: Table): void {
    this.tables.push(table)
    this.#print(`\n${tableText(table)}\n`)
  }

  figure(figure: Figure): void {
    this.figures.push(figure)
    this.#print(`${figureText(figure)}\n`)
  }
}

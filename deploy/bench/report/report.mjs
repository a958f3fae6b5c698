// Results of a benchmark: printed as Markdown as soon as they are known, and kept for the written report.

/** Whether a figure reached its aim; null without one. */
const isMet = ({ value, atLeast, atMost }) => {
  if (atLeast !== undefined) return value >= atLeast
  return atMost === undefined ? null : value <= atMost
}

const numberText = (value) => (typeof value === 'number' ? Number(value.toPrecision(3)).toLocaleString('en') : value)

/**
 * One line: the figure, its aim, and whether it was reached.
 * @param {{ name: string, value: number, unit?: string, atLeast?: number, atMost?: number }} figure
 */
export function figureText(figure) {
  const { name, value, unit = '', atLeast, atMost } = figure
  const line = `${name}: **${[numberText(value), unit].join(' ').trim()}**`
  if (isMet(figure) === null) return line
  const aim = atLeast === undefined ? `≤ ${numberText(atMost)}` : `≥ ${numberText(atLeast)}`
  return `${line} (aim ${[aim, unit].join(' ').trim()}: ${isMet(figure) ? 'reached' : 'missed'})`
}

const cells = (values) => `| ${values.join(' | ')} |\n`

/**
 * A table as Markdown; rows of costs show the use of each process.
 * @param {Parameters<Report['table']>[0]} table
 */
export function tableText({ title, unit, rows }) {
  const hasCosts = rows.some(({ cpu }) => cpu)
  const others = Object.keys(rows[0].also ?? {})
  const head = ['', ...(hasCosts ? [`CPU, ${unit}`, 'sum'] : []), ...others]
  const body = rows.map(({ name, cpu, also = {} }) => {
    const parts = Object.entries(cpu ?? {}).map(([process, used]) => `${process} ${numberText(used)}`)
    const costs = hasCosts ? [parts.join(', '), numberText(sumOf(cpu))] : []
    return cells([name, ...costs, ...others.map((column) => numberText(also[column]))])
  })
  return `${title}\n\n${cells(head)}${cells(head.map(() => '---'))}${body.join('')}`
}

export const sumOf = (cpu) => Object.values(cpu ?? {}).reduce((sum, used) => sum + used, 0)

/** Collects the tables and figures of one benchmark. */
export class Report {
  tables = []
  figures = []

  /** @param {(text: string) => void} print */
  constructor(print = (text) => process.stdout.write(text)) {
    this.print = print
  }

  /**
   * @param {{ title: string, unit?: string, rows: { name: string, cpu?: Record<string, number>, also?: Record<string, number | string> }[] }} table
   *   `cpu`: CPU time of each process per unit of work; `also`: further columns
   */
  table(table) {
    this.tables.push(table)
    this.print(`\n${tableText(table)}\n`)
  }

  /** @param {{ name: string, value: number, unit?: string, atLeast?: number, atMost?: number }} figure with its aim, if there is one */
  figure(figure) {
    this.figures.push(figure)
    this.print(`${figureText(figure)}\n`)
  }
}

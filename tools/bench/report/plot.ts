// Tables of costs as stacked bars.
import { compile, type TopLevelSpec } from 'vega-lite'
import { parse, View } from 'vega'
import type { Table } from './report.ts'

const WIDTH = 520
const BAR = 26

const bars = ({ title, unit, rows }: Table): TopLevelSpec => ({
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  title,
  width: WIDTH,
  height: { step: BAR },
  background: 'white',
  data: {
    values: rows.flatMap(({ name, cpu }) =>
      Object.entries(cpu ?? {}).map(([process, used], order) => ({ name, process, used, order })),
    ),
  },
  mark: 'bar',
  encoding: {
    y: { field: 'name', type: 'nominal', sort: null, title: null, axis: { labelLimit: 260 } },
    x: { field: 'used', type: 'quantitative', title: `CPU, ${unit}` },
    color: { field: 'process', type: 'nominal', sort: null, title: null },
    order: { field: 'order', type: 'quantitative' },
  },
})

/** The table as SVG, null when there is nothing to draw. */
export async function plot(table: Table): Promise<string | null> {
  if (!table.rows.every(({ cpu }) => cpu)) return null
  const view = new View(parse(compile(bars(table)).spec), { renderer: 'none' })
  return `${await view.toSVG()}\n`
}

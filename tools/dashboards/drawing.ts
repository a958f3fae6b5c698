// A panel as a picture: lines over time, or the last value on the colour of its threshold.
import { compile, type TopLevelSpec } from 'vega-lite'
import { expressionFunction, parse, View } from 'vega'
import { type Dashboard, legendOf, type Panel, type Target } from './dashboard-files.ts'
import type { Series } from './prometheus.ts'
import { inUnit } from './units.ts'

expressionFunction('inUnit', inUnit)

/** Size of a cell of Grafana's grid at a width of 1,600 pixels. */
const [CELL_WIDTH, CELL_HEIGHT] = [66, 38]
/** Space around a chart and above it, for the title. */
const MARGIN = 24
const LEGENDS = {
  bottom: { orient: 'bottom', columns: 5, labelLimit: 150 },
  right: { orient: 'right', columns: 1, labelLimit: 280, rowPadding: 0, labelFontSize: 9, symbolLimit: 15 },
} as const

/** A panel with the answers to its queries, in their order. */
export interface Answered {
  panel: Panel
  answers: Series[][]
}

interface Point {
  at: number
  value: number
  name: string
}

/** Points of a query's series; Prometheus writes no value of a quantile as `NaN`. */
const pointsOf = (target: Target, series: readonly Series[]): Point[] =>
  series
    .flatMap(({ metric, values }) =>
      values.map(([at, value]) => ({ at: at * 1_000, value: Number(value), name: legendOf(target, metric) })),
    )
    .filter(({ value }) => Number.isFinite(value))

/** Points of a panel. */
const pointsIn = ({ panel, answers }: Answered): Point[] =>
  panel.targets.flatMap((target, index) => pointsOf(target, answers[index]!))

/** Queries of a panel whose answers contain nothing to draw. */
export const emptyQueriesOf = ({ panel, answers }: Answered): string[] =>
  panel.targets.filter((target, index) => pointsOf(target, answers[index]!).length === 0).map(({ expr }) => expr)

const lines = ({ gridPos, fieldConfig, options }: Panel, values: Point[]): TopLevelSpec => ({
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  width: gridPos.w * CELL_WIDTH - 2 * MARGIN,
  height: gridPos.h * CELL_HEIGHT - 2 * MARGIN,
  autosize: { type: 'fit', contains: 'padding' },
  data: { values },
  mark: { type: 'line', clip: true },
  encoding: {
    x: { field: 'at', type: 'temporal', scale: { type: 'utc' }, title: null, axis: { format: '%H:%M:%S' } },
    y: {
      field: 'value',
      type: 'quantitative',
      title: null,
      axis: { labelExpr: `inUnit(datum.value, '${fieldConfig.defaults.unit}')`, tickCount: 5 },
    },
    color: {
      field: 'name',
      type: 'nominal',
      title: null,
      legend: { ...LEGENDS[options.legend?.placement ?? 'bottom'], symbolType: 'stroke' },
    },
  },
})

const lineChart = (panel: Panel, points: Point[]): Promise<string> =>
  new View(parse(compile(lines(panel, points)).spec), { renderer: 'none' }).toSVG()

function stat({ fieldConfig }: Panel, points: readonly Point[]): string {
  const { unit, thresholds } = fieldConfig.defaults
  const { value } = points.at(-1)!
  const step = thresholds?.steps.findLast((one) => one.value === null || value >= one.value)
  return `<div class="stat" style="background: ${step?.color ?? 'gray'}">${inUnit(value, unit)}</div>`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

async function drawn(answered: Answered): Promise<string> {
  const { panel } = answered
  const { x, y, w, h } = panel.gridPos
  const points = pointsIn(answered)
  const chart = panel.type === 'stat' ? stat : lineChart
  const content = points.length === 0 ? '<div class="none">No data</div>' : await chart(panel, points)
  const place = `grid-column: ${x + 1} / span ${w}; grid-row: ${y + 1} / span ${h}`
  return `<section style="${place}"><h2 title="${escaped(panel.description ?? '')}">${escaped(panel.title)}</h2>${content}</section>`
}

const STYLE = `
  body { margin: 12px; font: 14px sans-serif; background: #f4f5f5; width: ${24 * CELL_WIDTH}px }
  main { display: grid; grid-template-columns: repeat(24, ${CELL_WIDTH}px); grid-auto-rows: ${CELL_HEIGHT}px }
  section { margin: 4px; padding: 6px; background: white; border: 1px solid #ddd; overflow: hidden }
  h1, h2 { margin: 0 0 6px; font-size: 15px } h1 { font-size: 20px }
  .stat { font-size: 34px; color: white; text-align: center; line-height: 92px }
  .none { color: #888; text-align: center; margin-top: 20% }`

/** A dashboard as a page. */
export async function pageOf({ title }: Dashboard, panels: readonly Answered[]): Promise<string> {
  const sections = await Promise.all(panels.map(drawn))
  return `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style>
<h1>${escaped(title)}</h1><main>${sections.join('\n')}</main>`
}

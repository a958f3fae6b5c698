// The dashboards of deploy/observability, as Grafana reads them.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../deploy/local/bootstrap/config.mjs'

const FOLDER = join(root, 'deploy/observability/dashboards')

/** A query of a panel. */
export interface Target {
  expr: string
  legendFormat: string
}

/** A colour from a value on. */
interface Threshold {
  color: string
  value: number | null
}

/** A part of a dashboard. */
export interface Panel {
  type: 'stat' | 'timeseries'
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets: Target[]
  options: { legend?: { placement: 'bottom' | 'right' } }
  fieldConfig: { defaults: { unit: string; thresholds?: { steps: Threshold[] } } }
}

/** A dashboard with the name of its file. */
export interface Dashboard {
  name: string
  title: string
  panels: Panel[]
}

/** All dashboards. */
export const dashboards = (): Dashboard[] =>
  readdirSync(FOLDER).map((file) => ({
    ...(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Omit<Dashboard, 'name'>),
    name: file.replace('.json', ''),
  }))

/** A query with every service chosen; Grafana's shortest interval for rates is four scrapes of 15 s. */
export const filledIn = ({ expr }: Target): string => expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.+')

/** The name of a series by the pattern of its query, or by its labels where there is none. */
export const legendOf = ({ legendFormat }: Target, labels: Readonly<Record<string, string>>): string =>
  legendFormat
    ? legendFormat.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, label: string) => labels[label] ?? '')
    : JSON.stringify(labels)

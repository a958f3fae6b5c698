import 'reflect-metadata'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collectDefaultMetrics, register } from 'prom-client'

/** A metric as the code or the documentation describes it. */
export interface Metric {
  name: string
  kind: string
  labels: string[]
}

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const definesMetrics = (file: string): boolean =>
  /new (Counter|Gauge|Histogram|Summary)\(/.test(readFileSync(file, 'utf8'))

function sources(): string[] {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).flatMap((name) => sourcesOf(folder, name)),
  )
}

/** Reads only `src`, not the whole project: a concurrent build may empty its `dist`. */
const sourcesOf = (folder: string, project: string): string[] =>
  readdirSync(join(ROOT, folder, project, 'src'), { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.ts$/.test(name) && !/\.(d|spec)\.ts$/.test(name))
    .map(({ name, parentPath }) => join(parentPath, name))

interface Registered {
  name: string
  type: string
  labelNames: string[]
}

/** Every metric that the services register, `process_…` and `nodejs_…` among them. */
export async function exportedMetrics(): Promise<Metric[]> {
  for (const file of sources().filter(definesMetrics)) await import(file)
  collectDefaultMetrics()
  return (register.getMetricsAsArray() as unknown as Registered[]).map(({ name, type, labelNames }) => ({
    name,
    kind: type,
    labels: [...labelNames],
  }))
}

const ROW = /^\| `(connectivity_\w+)`\s*\| (\w+)\s*\| ([^|]*)\|/

/** The table of docs/metrics.md. */
export function documentedMetrics(): Metric[] {
  const lines = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').split('\n')
  return lines
    .map((line) => ROW.exec(line))
    .filter((row) => row !== null)
    .map(([, name, kind, labels]) => ({ name: name!, kind: kind!, labels: labelsOf(labels!) }))
}

/** "`cache` (`credentials`, `tokens`), `result`": values stand in brackets. */
const labelsOf = (cell: string): string[] =>
  [...cell.replace(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, label]) => label!)

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

export interface Alert {
  alert: string
  expr: string
  for: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}

/** A recording rule: stores the value of an expression under a name. */
export interface Recording {
  record: string
  expr: string
}

interface PrometheusRule {
  kind: string
  spec: { groups: { name: string; rules: (Alert | Recording)[] }[] }
}

export const OBSERVABILITY = fileURLToPath(new URL('..', import.meta.url))

export const ruleFiles = readdirSync(join(OBSERVABILITY, 'alerts')).filter((name) => name.endsWith('.yaml'))

/** The groups of a PrometheusRule: what Prometheus itself would read from a file. */
export const groupsOf = (file: string): PrometheusRule['spec'] =>
  (parse(readFileSync(join(OBSERVABILITY, 'alerts', file), 'utf8')) as PrometheusRule).spec

const rules = ruleFiles.flatMap((file) => groupsOf(file).groups.flatMap((group) => group.rules))

export const alerts: readonly Alert[] = rules.filter((rule) => 'alert' in rule)
export const recordings: readonly Recording[] = rules.filter((rule) => 'record' in rule)

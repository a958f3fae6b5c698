// A Prometheus beside a stack, configured as in the compose file, with our alert rules.
import { spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { parse, stringify } from 'yaml'
import { root } from '../../deploy/local/bootstrap/config.mjs'
import { freePort } from '../../deploy/local/machine/ports.ts'
import { until } from '@connectivity/toolkit/until'
import { groupsOf, ruleFiles } from '../../deploy/observability/test/alerts.ts'
import type { FaultStack } from '../faults/stack/fault-stack.ts'

const CONFIGURATION = 'deploy/observability/compose/prometheus.yaml'
const READY_WITHIN = 60_000

interface Configuration {
  global: Record<string, string>
  scrape_configs: { job_name: string; static_configs: { targets: string[]; labels: Record<string, string> }[] }[]
  rule_files?: string[]
}

/** A value at a time, s. */
type Sample = [at: number, value: string]

/** Samples of one set of labels. */
export interface Series {
  metric: Record<string, string>
  values: Sample[]
}

/** A rule as Prometheus sees it. */
export interface Rule {
  name: string
  type: 'alerting' | 'recording'
  health: string
  lastError?: string
  /** State of an alert: `inactive`, `pending` or `firing`. */
  state?: string
}

interface ScrapeTarget {
  health: string
  scrapeUrl: string
  lastError: string
}

/** The configuration of the compose file, with the addresses of a stack. */
function configurationFor(probes: Readonly<Record<string, number>>, ruleFolder: string): Configuration {
  const configuration = parse(readFileSync(join(root, CONFIGURATION), 'utf8'), { merge: true }) as Configuration
  for (const job of configuration.scrape_configs) {
    const own = Object.entries(probes).filter(([name]) => name.replace(/-\d+$/, '') === job.job_name)
    job.static_configs = own.map(([pod, port]) => ({ targets: [`127.0.0.1:${port}`], labels: { pod } }))
  }
  return {
    ...configuration,
    global: { ...configuration.global, evaluation_interval: '5s' },
    rule_files: [join(ruleFolder, '*.yaml')],
  }
}

/** Writes configuration and rules; returns the path of the configuration. */
function written(folder: string, probes: Readonly<Record<string, number>>): string {
  const rules = join(folder, 'rules')
  mkdirSync(rules, { recursive: true })
  for (const file of ruleFiles) writeFileSync(join(rules, file), stringify(groupsOf(file)))
  const file = join(folder, 'prometheus.yaml')
  writeFileSync(file, stringify(configurationFor(probes, rules), { aliasDuplicateObjects: false }))
  return file
}

/** A running Prometheus, which ends with the stack that it watches. */
export class Prometheus {
  readonly #address: string

  private constructor(address: string) {
    this.#address = address
  }

  /** Resolves when every process of the stack is scraped. */
  static async start(stack: FaultStack): Promise<Prometheus> {
    const folder = join(stack.dir, 'prometheus')
    const { probes } = stack.observed
    const address = `127.0.0.1:${await freePort()}`
    const args = [
      `--config.file=${written(folder, probes)}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ]
    const log = openSync(join(stack.logDir, 'prometheus.log'), 'a')
    stack.track(spawn(await goProgram('prometheus'), args, { stdio: ['ignore', log, log] }))
    const prometheus = new Prometheus(address)
    await prometheus.#untilScraped(Object.keys(probes).length)
    return prometheus
  }

  async #ask<T>(path: string, query: Record<string, string> = {}): Promise<T> {
    const answer = await fetch(`http://${this.#address}/api/v1/${path}?${new URLSearchParams(query)}`)
    const body = (await answer.json()) as { status: string; error?: string; data: T }
    if (body.status !== 'success') throw new Error(`${query.query ?? path}: ${body.error}`)
    return body.data
  }

  async #untilScraped(processes: number): Promise<void> {
    let found: ScrapeTarget[] = []
    const isScraped = async () => {
      const answer = await this.#ask<{ activeTargets: ScrapeTarget[] }>('targets').catch(() => undefined)
      found = answer?.activeTargets ?? []
      return found.length === processes && found.every(({ health }) => health === 'up')
    }
    const complaint = () => `of ${processes} processes are scraped: ${JSON.stringify(found)}`
    await until(isScraped, { within: READY_WITHIN, every: 500, complaint })
  }

  /** Series of a query over a time, s since 1970. @param step s */
  async range(query: string, from: number, to: number, step: number): Promise<Series[]> {
    const range = { query, start: String(from), end: String(to), step: String(step) }
    return (await this.#ask<{ result: Series[] }>('query_range', range)).result
  }

  /** All rules. */
  async rules(): Promise<Rule[]> {
    const { groups } = await this.#ask<{ groups: { rules: Rule[] }[] }>('rules')
    return groups.flatMap(({ rules }) => rules)
  }
}

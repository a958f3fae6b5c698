import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from 'prom-client'
import { alerts, recordings, ruleFiles } from './alerts.js'
import { exportedMetrics, type Metric, ROOT } from './metrics.js'
import { faultsOfQuery } from './queries.js'

const RUNBOOKS = 'docs/operations/runbooks'
/** Placeholder for the address of the documentation; each installation replaces it. */
const ADDRESS = 'https://docs.example.com/operations/runbooks'
/** Chapters of every runbook. */
const CHAPTERS = ['## What it means', '## Look', '## Do']

/** Alerts on each case of a counter: the metric, a label and its value. */
const onEachCase = alerts.flatMap(({ alert, expr }) =>
  [...expr.matchAll(/increase\((connectivity_\w+)\{(\w+)="(\w+)"\}/g)].map(([, metric, label, value]) => ({
    ...{ alert, metric: metric!, label: label!, value: value! },
  })),
)

const kebab = (name: string): string => name.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase()

let exported: Metric[]
beforeAll(async () => {
  const kept = recordings.map(({ record: name }) => ({ name, kind: 'gauge', labels: [] }))
  exported = [...(await exportedMetrics()), ...kept]
})

describe('alerts', () => {
  it('are in the files that are applied, each once', () => {
    const applied = readFileSync(join(ROOT, 'deploy/observability/kustomization.yaml'), 'utf8')
    expect(ruleFiles.filter((file) => !applied.includes(`alerts/${file}`))).toEqual([])
    // An alert of one name may have both severities, at two rates of the same budget.
    const names = alerts.map(({ alert, labels }) => `${alert} ${labels.severity}`)
    expect(names).toEqual([...new Set(names)])
    expect(names.length).toBeGreaterThan(15)
  })

  it.each(alerts)('$alert asks for metrics and labels that exist', ({ expr }) => {
    expect(faultsOfQuery(expr, exported)).toEqual([])
  })

  it.each(recordings)('$record asks for metrics and labels that exist', ({ record, expr }) => {
    expect(faultsOfQuery(expr, exported)).toEqual([])
    expect(alerts.filter((alert) => alert.expr.includes(record))).not.toEqual([])
  })

  // Prometheus sees no increase in a series that does not exist before its first case.
  it.each(onEachCase)(
    '$alert sees the first case: $metric begins at 0 for $value',
    async ({ metric, label, value }) => {
      const { values } = await register.getSingleMetric(metric)!.get()
      expect(values.filter(({ labels }) => labels[label] === value).map((one) => one.value)).toContain(0)
    },
  )

  it.each(alerts)('$alert has a severity, a duration and a summary in one sentence', (alert) => {
    expect(['critical', 'warning']).toContain(alert.labels.severity)
    expect(alert.for).toMatch(/^\d+m$/)
    expect(alert.annotations.summary).toMatch(/\.$/)
  })

  it.each(alerts)('$alert has a runbook', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toBe(`${ADDRESS}/${kebab(alert)}.md`)
    const page = readFileSync(join(ROOT, RUNBOOKS, `${kebab(alert)}.md`), 'utf8')
    expect(page.split('\n')[0]).toBe(`# ${alert}`)
    expect(CHAPTERS.filter((chapter) => !page.includes(chapter))).toEqual([])
  })

  it('are the only owners of runbooks, and all in their index', () => {
    const pages = readdirSync(join(ROOT, RUNBOOKS)).filter((name) => name !== 'index.md')
    expect(new Set(pages)).toEqual(new Set(alerts.map(({ alert }) => `${kebab(alert)}.md`)))
    const index = readFileSync(join(ROOT, RUNBOOKS, 'index.md'), 'utf8')
    expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
  })

  it.each([
    [
      'a metric that no process exports',
      'rate(connectivity_typo_total[5m]) > 0',
      'nothing exports connectivity_typo_total',
    ],
    ['a label that it does not have', 'up{colour="red"} == 0', 'up has no label colour'],
    ['the name of a histogram alone', 'connectivity_feed_freshness_seconds > 1', 'nothing exports'],
    ['what is not PromQL', 'sum by (rate(up[5m])', 'not PromQL'],
  ])('that ask for %s would be found', (_, expression, fault) => {
    expect(faultsOfQuery(expression, exported).join()).toContain(fault)
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { createGenerator } from 'ts-json-schema-generator'
import { OBSERVABILITY } from './alerts.js'
import { exportedMetrics, type Metric, ROOT } from './metrics.js'
import { faultsOfQuery } from './queries.js'

interface Panel {
  id: number
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets: { expr: string }[]
}
interface Dashboard {
  uid: string
  title: string
  schemaVersion: number
  templating: { list: { name: string }[] }
  panels: Panel[]
}

const files = readdirSync(join(OBSERVABILITY, 'dashboards'))
const dashboards = files.map((file) => ({
  file,
  dashboard: JSON.parse(readFileSync(join(OBSERVABILITY, 'dashboards', file), 'utf8')) as Dashboard,
}))

/** JSON schema of a dashboard by Grafana's own types; unknown fields are faults. */
function grafanaSchema(): object {
  const path = join(ROOT, 'node_modules/@grafana/schema/dist/types/raw/dashboard/x/types.gen.d.ts')
  // Without the types of Node.js and the DOM, which take ten times as long to read as Grafana's.
  const tsconfig = join(OBSERVABILITY, 'test/types.tsconfig.json')
  const options = { path, tsconfig, type: 'Dashboard', skipTypeCheck: true, additionalProperties: false }
  return createGenerator(options).createSchema('Dashboard')
}

let exported: Metric[]
beforeAll(async () => {
  exported = await exportedMetrics()
})

describe('dashboards', () => {
  it('are in the applied manifests, each under its own uid', () => {
    const applied = readFileSync(join(OBSERVABILITY, 'kustomization.yaml'), 'utf8')
    expect(files.filter((file) => !applied.includes(`dashboards/${file}`))).toEqual([])
    const uids = dashboards.map(({ dashboard }) => dashboard.uid)
    expect(uids).toEqual([...new Set(uids)])
  })

  it('are valid by the schema of Grafana', () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(grafanaSchema())
    const faults = dashboards.map(({ file, dashboard }) => [file, validate(dashboard) ? [] : validate.errors])
    expect(faults).toEqual(files.map((file) => [file, []]))
    expect(validate({ ...dashboards[0]!.dashboard, tittle: 'mistyped' })).toBe(false)
  })

  it.each(dashboards)('$file asks for metrics and labels that exist', ({ dashboard }) => {
    const faults = dashboard.panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) => faultsOfQuery(expr, exported).map((fault) => `${title}: ${fault}`)),
    )
    expect(faults).toEqual([])
  })

  it.each(dashboards)('$file lets its data source be chosen, and no two panels overlap', ({ dashboard }) => {
    expect(dashboard.templating.list.map(({ name }) => name)).toContain('datasource')
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    )
    expect(cells).toHaveLength(new Set(cells).size)
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true)
  })
})

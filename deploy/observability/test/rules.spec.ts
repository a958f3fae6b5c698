import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isBuilt } from '@connectivity/toolkit/go-programs'
import { parse } from 'yaml'
import { alerts, OBSERVABILITY, ruleFiles } from './alerts.js'
import { judge, testFiles } from './promtool.js'

interface RuleTests {
  rule_files: string[]
  tests: { alert_rule_test: { alertname: string; exp_alerts: { exp_labels: { severity: string } }[] }[] }[]
}

/** `npm run kubernetes:validate` demands promtool; `npm test` does not: compiling it takes minutes. */
const canJudge = isBuilt('promtool') || process.env.GO_PROGRAMS === 'required'
const withPromtool = canJudge ? it : it.skip
const leftOut = canJudge ? '' : ' (left out: npm run kubernetes:validate builds promtool)'
/** Compiling promtool for the first time, ms. */
const FIRST_BUILD = 900_000

describe('rules', () => {
  it('have a test in which each alert fires', () => {
    const files = testFiles.map((file) => parse(readFileSync(join(OBSERVABILITY, 'test', file), 'utf8')) as RuleTests)
    expect(new Set(files.flatMap(({ rule_files }) => rule_files))).toEqual(new Set(ruleFiles))
    const firing = files
      .flatMap(({ tests }) => tests)
      .flatMap(({ alert_rule_test }) => alert_rule_test)
      .filter(({ exp_alerts }) => exp_alerts.length > 0)
    const fired = firing.flatMap(({ alertname, exp_alerts }) =>
      exp_alerts.map(({ exp_labels }) => `${alertname} ${exp_labels.severity}`),
    )
    expect(new Set(fired)).toEqual(new Set(alerts.map(({ alert, labels }) => `${alert} ${labels.severity}`)))
  })

  withPromtool(
    `are read by Prometheus${leftOut}`,
    async () => {
      expect(await judge(['check', 'rules', ...ruleFiles])).toMatchObject({ status: 0 })
    },
    FIRST_BUILD,
  )

  withPromtool(
    `fire when they should, and only then${leftOut}`,
    async () => {
      expect(await judge(['test', 'rules', ...testFiles])).toMatchObject({ status: 0 })
    },
    FIRST_BUILD,
  )
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { alerts, OBSERVABILITY, ruleFiles } from './alerts.js'
import { hasPromtool, judge } from './promtool.js'

interface RuleTests {
  rule_files: string[]
  tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[]
}

const withPromtool = hasPromtool || process.env.PROMTOOL === 'required' ? it : it.skip
const leftOut = hasPromtool ? '' : ' (left out: no promtool here)'

describe('rules', () => {
  it('have a test of each that fires', () => {
    const { rule_files, tests } = parse(
      readFileSync(join(OBSERVABILITY, 'test', 'rules.test.yaml'), 'utf8'),
    ) as RuleTests
    expect(new Set(rule_files)).toEqual(new Set(ruleFiles))
    const firing = tests
      .flatMap(({ alert_rule_test }) => alert_rule_test)
      .filter(({ exp_alerts }) => exp_alerts.length > 0)
    expect(new Set(firing.map(({ alertname }) => alertname))).toEqual(new Set(alerts.map(({ alert }) => alert)))
  })

  withPromtool(
    `are read by Prometheus${leftOut}`,
    () => {
      expect(judge(['check', 'rules', ...ruleFiles])).toMatchObject({ status: 0 })
    },
    120_000,
  )

  withPromtool(
    `fire when they should, and only then${leftOut}`,
    () => {
      expect(judge(['test', 'rules', 'rules.test.yaml'])).toMatchObject({ status: 0 })
    },
    120_000,
  )
})

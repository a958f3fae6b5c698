#!/usr/bin/env node
// npm run dashboards:prove [-- --minutes 3]: runs the load of `npm run faults` without faults and a Prometheus beside
// it. Asks every query of every dashboard, evaluates every alert rule, and writes each dashboard as a picture to
// test-results/dashboards. Exits with 1 when a panel has no data without a reason, a rule fails, or an alert fires.
import { randomInt } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, startBrowser } from '@connectivity/toolkit/browser'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { testResults } from '../../deploy/local/bootstrap/config.mjs'
import { say, step } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { numberOf, optionsOf } from '../../deploy/local/machine/options.ts'
import { newHistory } from '../faults/history/history.ts'
import { Workload } from '../faults/users/workload.ts'
import { type FaultStack, withFaultStack } from '../faults/stack/fault-stack.ts'
import { type Dashboard, dashboards, filledIn, type Panel } from './dashboard-files.ts'
import { type Answered, emptyQueriesOf, pageOf } from './drawing.ts'
import { mayBeEmpty } from './may-be-empty.ts'
import { Prometheus, type Rule } from './prometheus.ts'
import { proveUntil } from './prover.ts'

const options = { minutes: { type: 'string', default: '3' } } as const
const HELP = `npm run dashboards:prove                   three minutes of load
npm run dashboards:prove -- --minutes 10   for that long
`
const FOLDER = join(testResults, 'dashboards')
/** Time between two points of a chart, s. */
const STEP = 5
const BOOKINGS = 300
const MOST_MINUTES = 60

/** Alerts that fire because no operators run and their targets do not exist. */
const UNWATCHED = ['DatabaseUnwatched', 'KafkaUnwatched']

/** A time, s since 1970. */
interface Span {
  from: number
  to: number
}

async function answered(prometheus: Prometheus, panel: Panel, { from, to }: Span): Promise<Answered> {
  const ask = (query: string) => prometheus.range(query, from, to, STEP)
  return { panel, answers: await Promise.all(panel.targets.map(filledIn).map(ask)) }
}

async function photograph(browser: Browser, name: string, page: string): Promise<void> {
  const tab = await browser.newPage({ viewport: { width: 1610, height: 900 } })
  await tab.setContent(page)
  await tab.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true })
  await tab.close()
}

/** Faults of a dashboard, which is drawn. */
async function faultsOf(dashboard: Dashboard, prometheus: Prometheus, span: Span, browser: Browser): Promise<string[]> {
  const panels = await Promise.all(dashboard.panels.map((panel) => answered(prometheus, panel, span)))
  await photograph(browser, dashboard.name, await pageOf(dashboard, panels))
  const empty = panels.flatMap((one) => emptyQueriesOf(one).map((query) => ({ title: one.panel.title, query })))
  const excused = empty.filter(({ title }) => title in mayBeEmpty)
  say(`${dashboard.title}: ${panels.length} panels, ${empty.length} queries without data`)
  for (const { title } of excused) say(`  ${title}: ${mayBeEmpty[title]}`)
  return empty
    .filter((one) => !excused.includes(one))
    .map(({ title, query }) => `${dashboard.name}, ${title}: no data of ${query}`)
}

const faultOf = ({ name, health, lastError, state }: Rule): string[] => [
  ...(health === 'ok' ? [] : [`rule ${name}: ${health} ${lastError ?? ''}`]),
  ...(state === 'firing' && !UNWATCHED.includes(name) ? [`alert ${name} fires`] : []),
]

function faultsOfRules(rules: readonly Rule[]): string[] {
  const alerts = rules.filter(({ type }) => type === 'alerting')
  const active = alerts.filter(({ state }) => state !== 'inactive').map(({ name, state }) => `${name} ${state}`)
  say(`${rules.length} rules evaluated, ${alerts.length} of them alerts; active: ${active.join(', ') || 'none'}`)
  return alerts.length === 0 ? ['no alert rules'] : rules.flatMap(faultOf)
}

async function look(prometheus: Prometheus, span: Span): Promise<string[]> {
  mkdirSync(FOLDER, { recursive: true })
  const browser = await startBrowser()
  try {
    const faults = faultsOfRules(await prometheus.rules())
    for (const dashboard of dashboards()) faults.push(...(await faultsOf(dashboard, prometheus, span, browser)))
    return faults
  } finally {
    await browser.close()
  }
}

async function prove(stack: FaultStack, minutes: number): Promise<number> {
  const prometheus = await step('Prometheus scrapes every process', () => Prometheus.start(stack))
  const workload = await Workload.begin(stack, newHistory(randomInt(2 ** 31)), { most: BOOKINGS })
  try {
    const from = Date.now()
    await proveUntil(from + minutes * 60_000, workload.partners)
    const faults = await look(prometheus, { from: from / 1_000, to: Date.now() / 1_000 })
    for (const fault of faults) say(fault)
    say(`pictures: ${FOLDER}`)
    say(faults.length === 0 ? 'proven' : `NOT proven: ${faults.length} faults`)
    return faults.length === 0 ? 0 : 1
  } finally {
    await workload.close()
  }
}

await run(async () => {
  const asked = optionsOf(options, HELP)
  if (!asked) return
  const minutes = numberOf('minutes', asked.minutes, MOST_MINUTES)
  await step('Prometheus is built', () => goProgram('prometheus'))
  return withFaultStack((stack) => prove(stack, minutes))
})

#!/usr/bin/env node
// npm run advisories -- --from <folder>: compares package-lock.json with a folder of advisories in the format of OSV,
// without the network, and fails if one of at least the given severity affects a package that we use.
// docs/operations/upgrading.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { checked, type Finding, findingsOf, type Ignored, isIgnored, packagesOf } from './findings.ts'
import { advisoriesIn, severities, type Severity } from './osv.ts'

const ROOT = join(import.meta.dirname, '../..')
const DAY = 86_400_000

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    severity: { type: 'string', default: 'high' },
    'max-age': { type: 'string', default: '7' },
    production: { type: 'boolean', default: false },
    lock: { type: 'string', default: join(ROOT, 'package-lock.json') },
    ignored: { type: 'string', default: join(import.meta.dirname, 'ignored.yaml') },
  },
})

const rank = (severity: Severity): number => severities.indexOf(severity)

function lineOf({ locked, advisory, severity, fixed }: Finding, remark = ''): string {
  const { name, version, path } = locked
  const remedy = fixed === undefined ? 'not fixed' : `fixed in ${fixed}`
  return `${severity.padEnd(8)} ${name} ${version}  ${path}  ${advisory.id}  ${remedy}  ${advisory.summary ?? ''}${remark}\n`
}

/** Refuses a snapshot in which nothing is younger than the allowed age: npm's advisories change every day. */
function refuseOld(newest: number, now: number): void {
  const days = Math.floor((now - newest) / DAY)
  if (newest === 0) throw new Refusal(`${values.from} holds no advisory.`)
  if (days >= Number(values['max-age']))
    throw new Refusal(`The newest advisory in ${values.from} is ${days} days old: fetch a new snapshot.`)
}

await run(() => {
  if (values.from === undefined) throw new Refusal('Name the folder of advisories: --from <folder>')
  const least = severities.find((one) => one === values.severity)
  if (least === undefined) throw new Refusal(`--severity is one of ${severities.join(', ')}`)
  if (!(Number(values['max-age']) > 0)) throw new Refusal('--max-age is a number of days')
  const ignored = checked(parse(readFileSync(values.ignored, 'utf8')) as Ignored[])
  const packages = packagesOf(readFileSync(values.lock, 'utf8')).filter(({ dev }) => !(values.production && dev))
  const now = Date.now()
  const { findings, newest } = findingsOf(packages, advisoriesIn(values.from))
  refuseOld(newest, now)
  const inOrder = findings.sort((a, b) => rank(b.severity) - rank(a.severity))
  const open = inOrder.filter((one) => !isIgnored(one, ignored, now))
  for (const one of inOrder) process.stdout.write(lineOf(one, open.includes(one) ? '' : ' (ignored)'))
  const grave = open.filter(({ severity }) => rank(severity) >= rank(least))
  process.stdout.write(`${packages.length} packages, ${open.length} findings, ${grave.length} of them ${least} or worse\n`)
  return Promise.resolve(grave.length > 0 ? 1 : 0)
}) // prettier-ignore

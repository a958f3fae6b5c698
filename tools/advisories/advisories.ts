#!/usr/bin/env node
// npm run advisories -- --from <folder>: compares package-lock.json with a folder of advisories in the format of OSV,
// without the network, and fails if one of at least the given severity affects a package that we use.
// docs/operations/upgrading.md.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { optionsOf } from '../../deploy/local/machine/options.ts'
import { checked, type Finding, findingsOf, type Ignored, isIgnored, packagesOf } from './findings.ts'
import { advisoriesIn, severities, type Severity } from './osv.ts'

const ROOT = join(import.meta.dirname, '../..')
const DAY = 86_400_000

const text = { type: 'string' } as const
const options = {
  from: text,
  severity: { ...text, default: 'high' },
  'max-age': { ...text, default: '7' },
  production: { type: 'boolean', default: false },
  lock: { ...text, default: join(ROOT, 'package-lock.json') },
  ignored: { ...text, default: join(import.meta.dirname, 'ignored.yaml') },
} as const
const HELP = `npm run advisories -- --from <folder>   compares package-lock.json with a folder of advisories
  --severity critical   fails from this severity on: ${severities.join(', ')} (default high)
  --max-age 14          takes advisories of which the newest is up to that many days old (default 7)
  --production          leaves out packages that only development needs
  --lock <file>         compares another lock file
  --ignored <file>      ignores the advisories of this file instead of ignored.yaml
`

const rank = (severity: Severity): number => severities.indexOf(severity)

function lineOf({ locked, advisory, severity, fixed }: Finding, remark = ''): string {
  const { name, version, path } = locked
  const remedy = fixed === undefined ? 'not fixed' : `fixed in ${fixed}`
  return `${severity.padEnd(8)} ${name} ${version}  ${path}  ${advisory.id}  ${remedy}  ${advisory.summary ?? ''}${remark}\n`
}

/** @throws Refusal unless the folder of advisories is named and exists */
function folderOf(from: string | undefined): string {
  if (from === undefined) throw new Refusal('Name the folder of advisories: --from <folder>')
  if (!existsSync(from)) throw new Refusal(`There is no folder ${from}.`)
  return from
}

/** Refuses a snapshot in which nothing is younger than the allowed age: npm's advisories change every day. */
function refuseOld(from: string, newest: number, maxAge: number): void {
  const days = Math.floor((Date.now() - newest) / DAY)
  if (newest === 0) throw new Refusal(`${from} holds no advisory.`)
  if (days >= maxAge) throw new Refusal(`The newest advisory in ${from} is ${days} days old: fetch a new snapshot.`)
}

await run(async () => {
  const given = optionsOf(options, HELP)
  if (!given) return
  const { production } = given
  const from = folderOf(given.from)
  const least = severities.find((one) => one === given.severity)
  if (least === undefined) throw new Refusal(`--severity is one of ${severities.join(', ')}`)
  const maxAge = Number(given['max-age'])
  if (!(maxAge > 0)) throw new Refusal('--max-age is a number of days')
  const ignored = checked(parse(readFileSync(given.ignored, 'utf8')) as Ignored[])
  const packages = packagesOf(readFileSync(given.lock, 'utf8')).filter(({ dev }) => !(production && dev))
  const { findings, newest } = findingsOf(packages, advisoriesIn(from))
  refuseOld(from, newest, maxAge)
  const now = Date.now()
  const inOrder = findings.sort((a, b) => rank(b.severity) - rank(a.severity))
  const open = inOrder.filter((one) => !isIgnored(one, ignored, now))
  for (const one of inOrder) process.stdout.write(lineOf(one, open.includes(one) ? '' : ' (ignored)'))
  const grave = open.filter(({ severity }) => rank(severity) >= rank(least))
  process.stdout.write(`${packages.length} packages, ${open.length} findings, ${grave.length} of them ${least} or worse\n`)
  return grave.length > 0 ? 1 : 0
}) // prettier-ignore

#!/usr/bin/env node
// npm run restore:prove: loses the feed's database under the load of `npm run faults` and restores it from base backup
// and archive to an earlier moment, by the steps of docs/operations/backup.md. Partners must miss nothing and see
// nothing twice or disordered.
import { randomInt } from 'node:crypto'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { step } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { optionsOf } from '../../deploy/local/machine/options.ts'
import { isClean } from '../faults/check/check.ts'
import { report } from '../faults/report.ts'
import { runFaultsOn } from '../faults/run.ts'
import { type FaultStack, withFaultStack } from '../faults/stack/fault-stack.ts'
import { Archive, checkBarman } from './archive.ts'
import { archiveInto, restore } from './restore-feed.ts'

const HELP = `npm run restore:prove   about five minutes; BARMAN_CLOUD names the folder with Barman's programs
`

async function prove(stack: FaultStack): Promise<number> {
  const archive = await Archive.start(stack)
  await step('PostgreSQL archives', () => archiveInto(archive, stack))
  const result = await runFaultsOn(stack, { seed: randomInt(2 ** 31), faults: [restore(archive)], isShort: false })
  process.stdout.write(report(result))
  return isClean(result.found) ? 0 : 1
}

await run(async () => {
  if (!optionsOf({}, HELP)) return
  checkBarman()
  await step('the object store is built', () => goProgram('gofakes3'))
  return withFaultStack(prove)
})
// A producer that lost its broker would keep the process alive by reconnecting.
process.exit()

// Lint, types and build through Nx, while the parts start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alone } from '../machine/install-lock.mjs'
import { say, step } from '../machine/progress.mjs'
import { explain } from '../machine/run.mjs'
import { runTargets } from '../services/build.mjs'

const FAILED_TASK = /^\s*[-✖✘]\s+(?:nx run )?(\S+:(?:lint|typecheck|build))/gm

/** Runs the targets; shows what a failing one says and returns the names of those tasks. */
export async function check(targets, { logDir, track }) {
  const title = targets.join(', ')
  try {
    await step(`${title} passed`, () => alone(() => runTargets(targets, { logDir, onStart: track })))
    return []
  } catch (error) {
    const output = outputOf(targets, logDir) || explain(error)
    process.stderr.write(`${output}\n`)
    const failed = [...new Set([...output.matchAll(FAILED_TASK)].map(([, task]) => task))]
    say(`${title} failed`)
    return failed.length > 0 ? failed : [title]
  }
}

function outputOf(targets, logDir) {
  try {
    return readFileSync(join(logDir, `nx-${targets.join('-')}.log`), 'utf8')
  } catch {
    return ''
  }
}

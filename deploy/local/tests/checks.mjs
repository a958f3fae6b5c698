// Lint, types and build through Nx, while the parts start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alone } from '../machine/install-lock.mjs'
import { say, step } from '../machine/progress.mjs'
import { runTargets } from '../services/build.mjs'

const FAILED_TASK = /^\s*[-✖✘]\s+(?:nx run )?(\S+:(?:lint|typecheck|build))/gm

/** Runs the targets; returns how many of their tasks failed and shows what they said. */
export async function check(targets, { logDir, track }) {
  const title = targets.join(', ')
  try {
    await step(`${title} passed`, () => alone(() => runTargets(targets, { logDir, onStart: track })))
    return 0
  } catch (error) {
    const output = outputOf(targets, logDir) || String(error.message)
    process.stderr.write(`${output}\n`)
    const failed = new Set([...output.matchAll(FAILED_TASK)].map(([, task]) => task))
    say(`${title} failed: ${[...failed].join(', ')}`)
    return Math.max(1, failed.size)
  }
}

function outputOf(targets, logDir) {
  try {
    return readFileSync(join(logDir, `nx-${targets.join('-')}.log`), 'utf8')
  } catch {
    return ''
  }
}

// Lint, types and build through Nx.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { step } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { explain } from '../../deploy/local/bootstrap/machine/run.mjs'
import { runTargets } from '../../deploy/local/services/build.ts'
import type { Track } from './run-node.ts'

const FAILED_TASK = /^\s*[-✖✘]\s+(?:nx run )?(\S+:(?:lint|typecheck|types|build))/gm

/** Something beside the suites that failed: its name and its output. */
export interface Failure {
  name: string
  text: string
}

/** Runs the targets in all projects. @returns one entry for each task that failed */
export async function check(
  targets: readonly string[],
  { logDir, track }: { logDir: string; track: Track },
): Promise<Failure[]> {
  const title = targets.join(', ')
  try {
    await step(`${title} passed`, () => runTargets(targets, { logDir, onStart: track }))
    return []
  } catch (error) {
    const output = outputOf(targets, logDir) || explain(error)
    const tasks = new Set([...output.matchAll(FAILED_TASK)].map(([, task]) => task!))
    const [first = title, ...others] = tasks
    return [{ name: first, text: output }, ...others.map((name) => ({ name, text: '' }))]
  }
}

function outputOf(targets: readonly string[], logDir: string): string {
  try {
    return readFileSync(join(logDir, `nx-${targets.join('-')}.log`), 'utf8')
  } catch {
    return ''
  }
}

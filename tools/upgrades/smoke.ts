#!/usr/bin/env node
// npm run upgrade:smoke -- <git ref>: tests the services of that release before and after this one's migrations.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Stack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [ref] = process.argv.slice(2)
if (ref === undefined) {
  process.stderr.write('npm run upgrade:smoke -- <git ref of a release, such as v0.1.0>\n')
  process.exit(2)
}

const say = (line: string): boolean => process.stdout.write(`\n=== ${line}\n`)
const dir = mkdtempSync(join(tmpdir(), 'upgrade-'))
const previous = join(dir, 'previous')
const stateDir = join(dir, 'state')

/** Runs one build on the existing databases: start, three changes up to the feed, no failures, stop. */
async function tryOut(folder: string): Promise<void> {
  const stack = new Stack(folder, stateDir)
  try {
    await stack.up()
    for (const kind of [[], ['--modify'], ['--cancel']]) await stack.book(kind)
    await stack.expectNothingFailed()
  } finally {
    await stack.down()
  }
}

try {
  execFileSync('git', ['worktree', 'add', '--detach', previous, ref], { cwd: root, stdio: 'inherit' })
  say(`${ref} on its own schemas`)
  await tryOut(previous)
  say('the working copy migrates and serves')
  await tryOut(root)
  say(`${ref} on the schemas of the working copy`)
  await tryOut(previous)
  say(`${ref} works on the schemas of the working copy`)
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', previous], { cwd: root, stdio: 'inherit' })
  rmSync(dir, { recursive: true, force: true })
}

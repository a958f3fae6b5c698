import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { groupsOf, OBSERVABILITY, ruleFiles } from './alerts.js'

const run = (args: readonly string[], cwd?: string) => spawnSync('promtool', args, { encoding: 'utf8', cwd })

/** Whether this machine has promtool, of Prometheus 3. */
export const hasPromtool = run(['--version']).status === 0

/** Runs promtool on our rules, in the form that Prometheus reads, or on their tests; returns output and exit code. */
export function judge(args: readonly string[]): { status: number | null; says: string } {
  const dir = mkdtempSync(join(tmpdir(), 'rules-'))
  try {
    for (const file of ruleFiles) writeFileSync(join(dir, file), stringify(groupsOf(file)))
    cpSync(join(OBSERVABILITY, 'test', 'rules.test.yaml'), join(dir, 'rules.test.yaml'))
    const { status, stdout, stderr } = run(args, dir)
    return { status, says: stdout + stderr }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

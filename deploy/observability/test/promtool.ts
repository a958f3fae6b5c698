import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { stringify } from 'yaml'
import { groupsOf, OBSERVABILITY, ruleFiles } from './alerts.js'

/** Files with tests of the rules. */
export const testFiles = readdirSync(join(OBSERVABILITY, 'test')).filter((name) => name.endsWith('.test.yaml'))

/** Runs promtool on our rules, in the form that Prometheus reads, or on their tests; returns output and exit code. */
export async function judge(args: readonly string[]): Promise<{ status: number | null; says: string }> {
  const promtool = await goProgram('promtool')
  const dir = mkdtempSync(join(tmpdir(), 'rules-'))
  try {
    for (const file of ruleFiles) writeFileSync(join(dir, file), stringify(groupsOf(file)))
    for (const file of testFiles) cpSync(join(OBSERVABILITY, 'test', file), join(dir, file))
    const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8', cwd: dir })
    return { status, says: stdout + stderr }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

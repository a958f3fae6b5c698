import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const machine = new URL('machine.ts', import.meta.url).href

it('a machine lacks the programs of a node that are not in its PATH', () => {
  const folder = mkdtempSync(join(tmpdir(), 'machine-spec-'))
  symlinkSync('/bin/sh', join(folder, 'sh'))
  for (const program of ['ip', 'openssl', 'unshare']) writeFileSync(join(folder, program), '', { mode: 0o755 })
  const script = `import { whatIsMissing } from '${machine}'; console.log(whatIsMissing().join())`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { env: { PATH: folder } })
  expect(said.toString()).toContain('install iptables, runc: apt-get install iptables runc')
  rmSync(folder, { recursive: true })
})
